"""Unmodified clients and servers of the stock Python run time, with both replicas in `Ice.Default.Locator`."""

import contextlib
import unittest

import Ice
from support.grid import INSTANCE, Grid, wait_until
from support.ice_client import IceGrid, admin_session, communicator, locator_of
from support.objects import wait_active_slaves


class Hello(Ice.Object):
    def ice_ids(self, current=None):
        return ["::Demo::Hello", "::Ice::Object"]

    def ice_id(self, current=None):
        return "::Demo::Hello"


@contextlib.contextmanager
def hello_server(locator, adapter_id="HelloAdapter", group="", identity="hello"):
    """A server that registers its adapter by itself, as `Ice::ObjectAdapter::activate` does."""
    properties = {"Hello__Endpoints": "tcp -h 127.0.0.1", "Hello__AdapterId": adapter_id}
    if group:
        properties["Hello__ReplicaGroupId"] = group
    with communicator(locator, **properties) as made:
        adapter = made.createObjectAdapter("Hello")
        adapter.add(Hello(), Ice.stringToIdentity(identity))
        adapter.activate()
        yield made
        adapter.deactivate()


def ping(made, text):
    made.stringToProxy(text).ice_locatorCacheTimeout(0).ice_ping()
    return True


class LocateTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.master = self.grid.add("Master").start()
        self.slave = self.grid.add("slave1").start()
        wait_active_slaves(self.master, 1)

    def test_what_a_server_registers_through_the_slave_is_found_through_either_replica(self):
        with hello_server(self.grid.locator_of(self.slave)):
            for replica in (self.master, self.slave):
                with communicator(self.grid.locator_of(replica)) as client:
                    self.assertTrue(ping(client, "hello@HelloAdapter"), replica.name)

    def test_a_replica_group_and_a_well_known_object_are_found_through_either_replica(self):
        with hello_server(self.grid.locator, "Member1", "HelloGroup"), \
                hello_server(self.grid.locator, "Member2", "HelloGroup"), \
                communicator(self.grid.locator) as administrator:
            with admin_session(administrator, INSTANCE) as admin:
                admin.addObject(administrator.stringToProxy("hello@HelloGroup"))
            for replica in (self.master, self.slave):
                with communicator(self.grid.locator_of(replica)) as client:
                    group = locator_of(client).findAdapterById("HelloGroup")
                    self.assertEqual(len(group.ice_getEndpoints()), 2, replica.name)
                    self.assertTrue(ping(client, "hello@HelloGroup"), replica.name)
                    self.assertTrue(ping(client, "hello"), replica.name)
                    query = IceGrid.QueryPrx.uncheckedCast(client.stringToProxy(f"{INSTANCE}/Query"))
                    self.assertEqual(query.findObjectByType("::Demo::Hello").ice_getAdapterId(), "HelloGroup")

    def test_every_resolve_works_after_kill_9_of_the_master_and_changes_again_when_it_is_back(self):
        with hello_server(self.grid.locator), communicator(self.grid.locator) as client:
            self.assertTrue(ping(client, "hello@HelloAdapter"))
            self.master.kill()
            for _ in range(200):
                self.assertTrue(ping(client, "hello@HelloAdapter"))

            with self.assertRaises(Ice.LocalException):
                with hello_server(self.grid.locator_of(self.slave), "OtherAdapter"):
                    self.fail("a slave without a master took a registration")
            self.slave.wait_log("OtherAdapter")

            self.master.start()
            self.slave.wait_phase("active")
            with hello_server(self.grid.locator_of(self.slave), "OtherAdapter"):
                self.assertTrue(ping(client, "hello@OtherAdapter"))

    def test_a_slave_restarted_without_its_master_serves_from_its_own_copy(self):
        with hello_server(self.grid.locator), communicator(self.grid.locator_of(self.slave)) as client:
            self.master.kill()
            self.slave.kill()
            self.slave.start(wait=False)
            wait_until(lambda: ping(client, "hello@HelloAdapter"), "the slave answers")

    def test_unknown_ids_are_exceptions(self):
        with communicator(self.grid.locator_of(self.slave)) as client:
            with self.assertRaises(Ice.ObjectNotFoundException):
                locator_of(client).findObjectById(Ice.stringToIdentity("nobody"))
            with self.assertRaises(Ice.AdapterNotFoundException):
                locator_of(client).findAdapterById("nowhere")

    def test_the_locator_and_its_registry_carry_the_endpoints_of_all_replicas(self):
        with communicator(self.grid.locator_of(self.slave)) as client:
            def both():
                locator = locator_of(client).findObjectById(Ice.stringToIdentity(f"{INSTANCE}/Locator"))
                return len(locator.ice_getEndpoints()) == 2 and locator
            wait_until(both, "the locator has the endpoints of both replicas")
            registry = locator_of(client).getRegistry()
            ports = [endpoint.getInfo().port for endpoint in registry.ice_getEndpoints()]
            self.assertEqual(ports, [self.slave.server_port, self.master.server_port])
            self.assertEqual(registry.ice_getIdentity(), Ice.stringToIdentity(f"{INSTANCE}/LocatorRegistry"))

            self.master.kill()
            wait_until(lambda: len(locator_of(client).getRegistry().ice_getEndpoints()) >= 1, "the slave answers alone")

    def test_local_proxies_lead_to_the_replica_that_answers_alone(self):
        for replica, other in ((self.master, self.slave), (self.slave, self.master)):
            with self.subTest(replica=replica.name), communicator(self.grid.locator_of(replica)) as client:
                locator = locator_of(client)

                def ports(proxy):
                    return [endpoint.getInfo().port for endpoint in proxy.ice_getEndpoints()]
                wait_until(lambda: len(ports(locator.getRegistry())) == 2, "this replica knows of both")
                self.assertEqual(ports(locator.getRegistry()), [replica.server_port, other.server_port])
                self.assertEqual(ports(locator.getLocalRegistry()), [replica.client_port])
                self.assertEqual(ports(locator.getLocalQuery()), [replica.client_port])
                self.assertEqual(locator.getLocalQuery().ice_getIdentity(), Ice.Identity("Query", INSTANCE))
                for local in (locator.getLocalRegistry(), locator.getLocalQuery()):
                    local.ice_ping()

    def test_a_slave_that_leaves_is_out_of_the_well_known_objects(self):
        with communicator(self.grid.locator_of(self.master)) as client:
            query = IceGrid.QueryPrx.uncheckedCast(client.stringToProxy(f"{INSTANCE}/Query"))
            name = Ice.stringToIdentity(f"{INSTANCE}/Registry-slave1")
            wait_until(lambda: query.findObjectById(name), "the slave's registry is known")
            self.slave.kill()
            wait_until(lambda: not query.findObjectById(name), "the killed slave is forgotten")
            locator = query.findObjectById(Ice.stringToIdentity(f"{INSTANCE}/Locator"))
            self.assertEqual(len(locator.ice_getEndpoints()), 1)


if __name__ == "__main__":
    unittest.main()
