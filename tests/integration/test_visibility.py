"""What a call on the master has returned is there on every active slave, while much goes on at once."""

import concurrent.futures
import unittest

import Ice
from support.grid import Grid, wait_until
from support.ice_client import communicator, locator_of
from support.objects import Stream, administration, names, target, wait_active_slaves
from test_registration import proxy, registry_at

ROUNDS = 150
TYPE = "::Test::Visible"


class VisibilityTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.master = self.grid.add("Master").start()
        self.slaves = [self.grid.add(f"slave{number}").start() for number in (1, 2)]
        wait_active_slaves(self.master, 2)
        self.locators = [locator_of(self.enterContext(communicator(self.grid.locator_of(slave))))
                         for slave in self.slaves]

    def test_an_added_object_is_found_and_a_removed_one_is_not(self):
        with Stream(self.master, "noise"), administration(self.master) as (made, admin):
            for number in range(ROUNDS):
                identity = Ice.Identity(name=f"object{number}")
                admin.addObjectWithType(target(made, identity.name), TYPE)
                for locator in self.locators:
                    self.assertTrue(locator.findObjectById(identity))
                admin.removeObject(identity)
                for locator in self.locators:
                    with self.assertRaises(Ice.ObjectNotFoundException):
                        locator.findObjectById(identity)

    def test_an_adapter_registered_through_one_slave_is_found_through_the_other(self):
        with Stream(self.master, "noise"), communicator(self.grid.locator_of(self.slaves[0])) as made:
            registry = registry_at(made, self.slaves[0])
            for number in range(ROUNDS):
                registry.setAdapterDirectProxy("moving", proxy(made, 10000 + number))
                for locator in self.locators:
                    endpoint, = locator.findAdapterById("moving").ice_getEndpoints()
                    self.assertEqual(endpoint.getInfo().port, 10000 + number)

    def test_slaves_that_come_and_go_under_load_end_with_the_same_objects(self):
        streams = [Stream(self.master, f"stream{number}") for number in range(3)]
        with streams[0], streams[1], streams[2]:
            for count, slave in ((200, self.slaves[0]), (400, self.slaves[1]), (600, self.slaves[0])):
                streams[0].wait_acknowledged(count)
                slave.kill()
                streams[0].wait_acknowledged(count + 100)
                slave.start()
                self.assertFalse(streams[0].over.is_set(), "a call has failed")
            wait_active_slaves(self.master, 2)
        expected = names(self.master)
        for stream in streams:
            self.assertEqual(stream.acknowledged - expected, set())
        for slave in self.slaves:
            wait_until(lambda asked=slave: names(asked) == expected, f"{slave.name} has all of it")

    def test_many_clients_change_the_same_object_and_all_replicas_agree(self):
        with administration(self.master) as (made, admin):
            admin.addObjectWithType(target(made, "contended"), TYPE)

        def update(first_port):
            with administration(self.master) as (made, admin):
                for port in range(first_port, first_port + 50):
                    admin.updateObject(made.stringToProxy(f"contended:tcp -h 127.0.0.1 -p {port}"))

        with concurrent.futures.ThreadPoolExecutor(6) as clients:
            for done in clients.map(update, range(10000, 10600, 100)):
                self.assertIsNone(done)
        with communicator(self.grid.locator_of(self.master)) as made:
            last = str(locator_of(made).findObjectById(Ice.Identity(name="contended")))
        for locator in self.locators:
            self.assertEqual(str(locator.findObjectById(Ice.Identity(name="contended"))), last)


if __name__ == "__main__":
    unittest.main()
