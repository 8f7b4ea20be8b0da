"""Clients and slaves that are told no address: they find a locator by the stock plug-in IceLocatorDiscovery, or by
asking `Ice/LocatorFinder` at a place where some registry is."""

import os
import socket
import subprocess
import unittest

import Ice
from support.grid import INSTANCE, Grid, wait_until
from support.ice_client import IceGrid, communicator, locator_of
from support.objects import add, wait_active_slaves
from test_locate import hello_server, ping

ADDRESS = "239.255.0.1"


def free_udp_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class DiscoveryTest(unittest.TestCase):
    def setUp(self):
        self.port = free_udp_port()
        self.grid = self.enterContext(Grid(properties={
            "IceGrid.Registry.Discovery.Enabled": "1",
            "IceGrid.Registry.Discovery.Address": ADDRESS,
            "IceGrid.Registry.Discovery.Port": str(self.port),
            "IceGrid.Registry.Discovery.Interface": "127.0.0.1",
        }))

    def plug_in(self, **more):
        """The properties of a process that looks for its locator, on loopback and at this test's port alone."""
        return {
            "Ice.Plugin.IceLocatorDiscovery": "1",
            "IceLocatorDiscovery.Address": ADDRESS,
            "IceLocatorDiscovery.Port": str(self.port),
            "IceLocatorDiscovery.Interface": "127.0.0.1",
            **{name.replace("__", "."): value for name, value in more.items()},
        }

    def searching(self, **more):
        return communicator(**{name.replace(".", "__"): value for name, value in self.plug_in(**more).items()})

    def query(self, made):
        return IceGrid.QueryPrx.checkedCast(made.stringToProxy(f"{INSTANCE}/Query").ice_locatorCacheTimeout(0))

    def test_a_stock_client_finds_the_grid_and_outlives_its_master(self):
        master, slave = self.grid.add("Master").start(), self.grid.add("slave1").start()
        wait_active_slaves(master, 1)
        with hello_server(self.grid.locator), self.searching() as client:
            self.assertTrue(ping(client, "hello@HelloAdapter"))
            self.assertTrue(self.query(client))
            master.kill()
            self.assertTrue(ping(client, "hello@HelloAdapter"))
        with self.searching() as client:
            self.assertTrue(ping(client, f"{INSTANCE}/Registry-{slave.name}"))

    def test_a_client_that_names_its_instance_gets_no_other(self):
        self.grid.add("Master").start()
        with self.searching(IceLocatorDiscovery__InstanceName=INSTANCE) as client:
            self.assertTrue(self.query(client))
        with self.searching(IceLocatorDiscovery__InstanceName="Other", IceLocatorDiscovery__Timeout="50",
                            IceLocatorDiscovery__RetryCount="1") as client:
            with self.assertRaises(Ice.LocalException):
                client.stringToProxy("Other/Query").ice_ping()

    def test_icegridadmin_finds_the_grid(self):
        add(self.grid.add("Master").start(), "found")
        # It has the plug-in inside, under a name of its own.
        done = subprocess.run(
            ["icegridadmin", f"--IceGridAdmin.Discovery.Address={ADDRESS}",
             f"--IceGridAdmin.Discovery.Port={self.port}", "--IceGridAdmin.Discovery.Interface=127.0.0.1",
             "-u", "x", "-p", "x", "-e", "object list"],
            capture_output=True, text=True, timeout=60, check=False, env={**os.environ, "ICE_CONFIG": ""})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("found", done.stdout.split())

    def check_slave_finds_its_master(self, **more):
        master = self.grid.add("Master").start()
        add(master, "before")
        slave = self.grid.add("slave1")
        slave.start(**{"Ice.Default.Locator": None, **self.plug_in(**more)})
        wait_active_slaves(master, 1)
        with communicator(self.grid.locator_of(slave)) as made:
            self.assertTrue(locator_of(made).findObjectById(Ice.Identity(name="before")))

        # And again after the master was away.
        master.kill()
        slave.wait_phase("searching")
        master.start()
        wait_active_slaves(master, 1)

    def test_a_slave_finds_its_master_by_the_name_of_its_instance(self):
        self.check_slave_finds_its_master()

    def test_a_slave_finds_its_master_by_the_name_in_the_plug_in(self):
        self.check_slave_finds_its_master(IceLocatorDiscovery__InstanceName=INSTANCE, IceGrid__InstanceName=None)

    def test_a_slave_finds_its_master_whose_internal_endpoint_has_another_port_after_a_restart(self):
        self.grid.properties["IceGrid.Registry.Internal.Endpoints"] = "tcp -h 127.0.0.1"
        self.check_slave_finds_its_master()

    def test_discovery_can_be_off(self):
        master = self.grid.add("Master")
        master.start(**{"IceGrid.Registry.Discovery.Enabled": "0"})
        with self.searching(IceLocatorDiscovery__Timeout="50", IceLocatorDiscovery__RetryCount="1") as client:
            with self.assertRaises(Ice.LocalException):
                client.stringToProxy(f"{INSTANCE}/Query").ice_ping()


class FinderTest(unittest.TestCase):
    def test_the_finder_of_each_replica_gives_a_locator_with_all_replicas(self):
        with Grid() as grid, communicator() as made:
            replicas = [grid.add("Master").start(), grid.add("slave1").start()]
            for replica in replicas:
                finder = Ice.LocatorFinderPrx.uncheckedCast(
                    made.stringToProxy(f"Ice/LocatorFinder:{replica.client_endpoint}"))

                def with_both(asked=finder):
                    locator = asked.getLocator()
                    return len(locator.ice_getEndpoints()) == 2 and locator
                locator = wait_until(with_both, "the locator has both replicas")
                self.assertEqual(locator.ice_getIdentity(), Ice.stringToIdentity(f"{INSTANCE}/Locator"))
                # The one that answers comes first.
                self.assertEqual(locator.ice_getEndpoints()[0].getInfo().port, replica.client_port)

    def test_icegridadmin_is_content_with_host_and_port(self):
        with Grid() as grid:
            master = grid.add("Master").start()
            add(master, "found")
            done = subprocess.run(
                ["icegridadmin", "-H", "127.0.0.1", "-P", str(master.client_port), "-u", "x", "-p", "x",
                 "-e", "object list"], capture_output=True, text=True, timeout=60, check=False,
                env={**os.environ, "ICE_CONFIG": ""})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("found", done.stdout.split())


if __name__ == "__main__":
    unittest.main()
