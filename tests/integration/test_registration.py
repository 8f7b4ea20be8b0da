"""What servers may register by themselves, what they learn when they may not, and what a registration costs."""

import unittest

import Ice
from support.grid import PATIENCE_S, Grid, wait_until
from support.ice_client import IceGrid, communicator, locator_of
from support.objects import administration, duration_s, wait_active_slaves
from test_locate import hello_server, ping


def proxy(made, port=10000):
    return made.stringToProxy(f"dummy:tcp -h 127.0.0.1 -p {port}")


def registry_at(made, replica):
    """The registry for servers of this replica alone: clients choose among endpoints at random."""
    registry = locator_of(made).getRegistry()
    return registry.ice_endpoints([endpoint for endpoint in registry.ice_getEndpoints()
                                   if endpoint.getInfo().port == replica.server_port])


def committed(replica):
    return replica.metrics()["muster_changes_committed_total"]


class RulesTest(unittest.TestCase):
    """Through the slave, which hands registrations on, and through the master: the rules are the same."""

    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.master = self.grid.add("Master").start()
        self.slave = self.grid.add("slave1").start()
        wait_active_slaves(self.master, 1)
        self.made = self.enterContext(communicator())
        self.registries = {}
        for replica in (self.master, self.slave):
            local = self.enterContext(communicator(self.grid.locator_of(replica)))
            self.registries[replica.name] = registry_at(local, replica)

    def find(self, replica, adapter_id):
        with communicator(self.grid.locator_of(replica)) as made:
            return locator_of(made).findAdapterById(adapter_id)

    def test_what_is_registered_is_found_at_once_on_every_replica_and_goes_with_a_null_proxy(self):
        for name, registry in self.registries.items():
            for port in (10000, 10001):
                registry.setAdapterDirectProxy(f"by-{name}", proxy(self.made, port))
                for replica in (self.master, self.slave):
                    self.assertEqual(str(self.find(replica, f"by-{name}")), str(proxy(self.made, port)))
            registry.setAdapterDirectProxy(f"by-{name}", None)
            for replica in (self.master, self.slave):
                with self.assertRaises(Ice.AdapterNotFoundException):
                    self.find(replica, f"by-{name}")
            registry.setAdapterDirectProxy(f"by-{name}", None)

    def test_registering_the_same_again_is_no_commit(self):
        for name, registry in self.registries.items():
            registry.setReplicatedAdapterDirectProxy(f"by-{name}", "group", proxy(self.made))
            before = committed(self.master), committed(self.slave)
            for _ in range(20):
                registry.setReplicatedAdapterDirectProxy(f"by-{name}", "group", proxy(self.made))
            self.assertEqual((committed(self.master), committed(self.slave)), before)
            registry.setReplicatedAdapterDirectProxy(f"by-{name}", "group", proxy(self.made, 10001))
            self.assertEqual(committed(self.master), before[0] + 1)

    def test_a_dynamic_group_forms_from_its_members_and_ends_with_them(self):
        registry = self.registries["slave1"]
        for number in (1, 2):
            registry.setReplicatedAdapterDirectProxy(f"member{number}", "group", proxy(self.made, 10000 + number))
        for replica in (self.master, self.slave):
            ports = {endpoint.getInfo().port for endpoint in self.find(replica, "group").ice_getEndpoints()}
            self.assertEqual(ports, {10001, 10002})
        registry.setReplicatedAdapterDirectProxy("member1", "other", proxy(self.made, 10001))
        self.assertEqual(len(self.find(self.slave, "group").ice_getEndpoints()), 1)
        registry.setReplicatedAdapterDirectProxy("member2", "group", None)
        with self.assertRaises(Ice.AdapterNotFoundException):
            self.find(self.master, "group")

    def test_an_adapter_without_endpoints_is_no_error(self):
        for name, registry in self.registries.items():
            registry.setAdapterDirectProxy(f"by-{name}", self.made.stringToProxy("dummy"))
            self.assertEqual(self.find(self.slave, f"by-{name}").ice_getEndpoints(), ())

    def test_a_deployed_group_takes_no_dynamic_member(self):
        with administration(self.master) as (_, admin):
            admin.addApplication(IceGrid.ApplicationDescriptor(
                name="app", replicaGroups=[IceGrid.ReplicaGroupDescriptor(
                    id="Deployed", loadBalancing=IceGrid.RandomLoadBalancingPolicy(nReplicas="0"))]))
        for name, registry in self.registries.items():
            with self.assertRaises(Ice.InvalidReplicaGroupIdException):
                registry.setReplicatedAdapterDirectProxy(f"by-{name}", "Deployed", proxy(self.made))
            with self.assertRaises(Ice.AdapterNotFoundException):
                self.find(self.slave, f"by-{name}")
        # Known, without a member: not an exception.
        self.assertIsNone(self.find(self.slave, "Deployed"))
        with administration(self.master) as (_, admin):
            admin.removeApplication("app")
        self.registries["slave1"].setReplicatedAdapterDirectProxy("now", "Deployed", proxy(self.made))
        self.assertEqual(len(self.find(self.master, "Deployed").ice_getEndpoints()), 1)

    def test_a_process_of_a_server_that_no_application_describes_is_unknown(self):
        for _, registry in self.registries.items():
            with self.assertRaises(Ice.ServerNotFoundException):
                registry.setServerProcessProxy("nobody", Ice.ProcessPrx.uncheckedCast(proxy(self.made)))


class RegistrationOffTest(unittest.TestCase):
    def test_a_server_learns_that_its_adapter_is_unknown_and_the_log_says_why(self):
        with Grid(properties={"IceGrid.Registry.DynamicRegistration": "0"}) as grid:
            master, slave = grid.add("Master").start(), grid.add("slave1").start()
            for replica in (master, slave):
                with self.subTest(replica.name), communicator(grid.locator_of(replica)) as made:
                    with self.assertRaises(Ice.AdapterNotFoundException):
                        registry_at(made, replica).setAdapterDirectProxy(f"at-{replica.name}", proxy(made))
                    replica.wait_log(f"at-{replica.name}")
                    replica.wait_log("IceGrid.Registry.DynamicRegistration")
                    with self.assertRaises(Ice.NotRegisteredException):
                        with hello_server(grid.locator_of(replica)):
                            self.fail("the adapter was activated")
            self.assertEqual(committed(master), 0)


class MasterAwayTest(unittest.TestCase):
    SETTINGS = {
        "Muster.Registry.ForwardTimeout": "1000",
        # The silence of the master is not what ends the wait.
        "Muster.Registry.MasterSilenceTimeout": "60000",
    }
    # The operation is idempotent and the stock client tries once more by itself; the rest is for a slow machine.
    BOUND_S = 5

    def setUp(self):
        self.grid = self.enterContext(Grid(properties=self.SETTINGS))
        self.master = self.grid.add("Master").start()
        self.slave = self.grid.add("slave1").start()
        wait_active_slaves(self.master, 1)

    def refused(self, made, adapter_id):
        with self.assertRaises(Ice.UnknownException) as refused:
            registry_at(made, self.slave).setAdapterDirectProxy(adapter_id, proxy(made))
        return refused.exception.unknown

    def test_a_stopped_master_is_a_clear_exception_in_bounded_time_and_locating_goes_on(self):
        with hello_server(self.grid.locator_of(self.slave)), communicator(self.grid.locator_of(self.slave)) as made:
            registry = registry_at(made, self.slave)
            self.master.suspend()
            waiting = registry.setAdapterDirectProxyAsync("late", proxy(made))
            self.assertTrue(ping(made, "hello@HelloAdapter"))
            self.assertFalse(waiting.done())

            def refused():
                with self.assertRaises(Ice.UnknownException) as failed:
                    waiting.result(PATIENCE_S)
                self.assertIn("master", failed.exception.unknown.lower())
            self.assertLess(duration_s(refused), self.BOUND_S)
            self.slave.wait_log("late")

            self.master.resume()
            wait_active_slaves(self.master, 1)

            def registered():
                registry_at(made, self.slave).setAdapterDirectProxy("afterwards", proxy(made))
                return True
            wait_until(registered, "the slave hands registrations on again")

    def test_a_dead_master_is_a_clear_exception_at_once(self):
        with communicator(self.grid.locator_of(self.slave)) as made:
            self.master.kill()
            self.assertIn("master", self.refused(made, "orphan").lower())
            self.slave.wait_log("orphan")
            self.assertLess(duration_s(lambda: self.refused(made, "again")), self.BOUND_S)
            self.master.start()
            wait_active_slaves(self.master, 1)
            registry_at(made, self.slave).setAdapterDirectProxy("orphan", proxy(made))
            self.assertTrue(locator_of(made).findAdapterById("orphan"))


if __name__ == "__main__":
    unittest.main()
