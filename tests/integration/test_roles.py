"""What masters and slaves refuse each other and their users: every refusal says who the master is, or what to do."""

import glob
import time
import unittest

import Ice
from support.grid import INSTANCE, Grid, wait_until
from support.ice_client import IceGrid, communicator
from support.objects import TYPE, add, administration, names, target, wait_active_slaves

CHANGES = {
    "addApplication": lambda _: (IceGrid.ApplicationDescriptor(name="app"),),
    "syncApplication": lambda _: (IceGrid.ApplicationDescriptor(name="app"),),
    "syncApplicationWithoutRestart": lambda _: (IceGrid.ApplicationDescriptor(name="app"),),
    "updateApplication": lambda _: (IceGrid.ApplicationUpdateDescriptor(name="app"),),
    "updateApplicationWithoutRestart": lambda _: (IceGrid.ApplicationUpdateDescriptor(name="app"),),
    "removeApplication": lambda _: ("app",),
    "instantiateServer": lambda _: ("app", "node", IceGrid.ServerInstanceDescriptor()),
    "removeAdapter": lambda _: ("adapter",),
    "addObject": lambda made: (target(made, "new"),),
    "addObjectWithType": lambda made: (target(made, "new"), TYPE),
    "updateObject": lambda made: (target(made, "kept"),),
    "removeObject": lambda _: (Ice.Identity(name="kept"),),
}
AT_ONCE_S = 5


class SlaveTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.master = self.grid.add("Master").start()
        self.slave = self.grid.add("slave1").start()
        wait_active_slaves(self.master, 1)
        add(self.master, "kept")

    def refuses_every_change(self, sentence):
        with administration(self.slave) as (made, admin):
            for name, arguments in CHANGES.items():
                with self.subTest(operation=name):
                    begun = time.monotonic()
                    with self.assertRaises(IceGrid.DeploymentException) as refused:
                        getattr(admin, name)(*arguments(made))
                    self.assertIn(sentence, refused.exception.reason)
                    self.assertLess(time.monotonic() - begun, AT_ONCE_S)
            self.assertEqual(admin.getAllApplicationNames(), [])
        self.assertEqual(names(self.slave), {"kept"})

    def refuses_a_client_session(self):
        with communicator(self.grid.locator_of(self.slave)) as made:
            registry = IceGrid.RegistryPrx.uncheckedCast(
                made.stringToProxy(f"{INSTANCE}/Registry-slave1").ice_locatorCacheTimeout(0))
            with self.assertRaises(IceGrid.PermissionDeniedException) as refused:
                registry.createSession("user", "any")
            self.assertIn("'Master'", refused.exception.reason)

    def test_it_refuses_every_change_and_names_the_master(self):
        self.refuses_every_change("'slave1' is a slave, and the master is replica 'Master'")
        self.refuses_a_client_session()

    def test_it_names_the_last_master_where_none_runs(self):
        last = "the master, replica 'Master' when it was last met, is not reached now"
        self.master.kill()
        wait_until(lambda: self.slave.health()["master"] is None, "the slave has noticed")
        self.refuses_every_change(last)
        # Who it was outlives the slave's process.
        self.slave.kill()
        self.slave.start(wait=False)
        wait_until(self.slave.answers, "it serves its own copy")
        self.refuses_every_change(last)
        self.refuses_a_client_session()

    def test_a_locator_that_names_only_a_slave_leads_to_the_master(self):
        led = self.grid.add("slave2")
        led.start(**{"Ice.Default.Locator": self.grid.locator_of(self.slave)})
        wait_active_slaves(self.master, 2)
        add(self.master, "new")
        self.assertEqual(names(led), {"kept", "new"})


class TwoMastersTest(unittest.TestCase):
    def start_three(self, **properties):
        grid = self.enterContext(Grid(properties={key.replace("__", "."): value for key, value in properties.items()}))
        master, first, second = (grid.add(name).start() for name in ("Master", "slave1", "slave2"))
        wait_active_slaves(master, 2)
        add(master, "kept")
        return grid, master, first, second

    def test_two_slaves_that_were_promoted_apart_both_stop_and_force_is_the_way_out(self):
        # Nothing but the endpoints for clients stays where it was.
        grid, master, first, second = self.start_three(IceGrid__Registry__Internal__Endpoints="tcp -h 127.0.0.1")
        master.kill()
        for chosen, other in ((first, second), (second, first)):
            other.suspend()
            if other is first:
                chosen.resume()
            chosen.stop()
            chosen.replica_name = "Master"
            chosen.start(**{"Ice.Default.Locator": grid.locator})
            add(chosen, f"of-{chosen.name}")
        self.assertEqual(second.health()["term"], 2)
        first.resume()
        for one, other in ((first, second), (second, first)):
            one.wait_phase("stepped_down")
            one.wait_log("promoted apart from each other")
            with self.assertRaises(IceGrid.DeploymentException) as refused:
                add(one, "more")
            self.assertIn("--force", refused.exception.reason)

        # What the sentence says to do:
        second.stop()
        first.stop()
        first.start("--force", **{"Ice.Default.Locator": grid.locator})
        self.assertEqual(first.health()["term"], 3)
        second.replica_name = "slave2"
        second.start()
        self.assertEqual(names(second), {"kept", "of-slave1"})
        self.assertEqual(len(glob.glob(f"{second.database}/diverged-*")), 1)

    def test_a_slave_that_lacks_what_was_acknowledged_becomes_master_only_by_force(self):
        grid, master, whole, behind = self.start_three()
        behind.stop()
        wait_active_slaves(master, 1)
        for name in ("acknowledged", "after"):  # the second tells the slave that the first is acknowledged
            add(master, name)
        master.kill()
        behind.replica_name = "Master"
        behind.start(wait=False, **{"Ice.Default.Locator": grid.locator})
        self.assertEqual(behind.wait_end(), 1)
        self.assertRegex(behind.log(), r"event=start_refused .*Start 'slave1' as the master, or this one with --force")

        # Forced, it leads; nobody who holds more takes its history for theirs.
        behind.start("--force", **{"Ice.Default.Locator": grid.locator})
        add(behind, "forced")
        whole.wait_phase("refused")
        self.assertIn("--initdb-from-replica", whole.health()["trouble"])
        for one in (whole, behind):
            one.wait_log("--initdb-from-replica")
        self.assertIn("event=slave_refused replica=slave1", behind.log())
        self.assertEqual(names(whole), {"kept", "acknowledged", "after"})
        self.assertEqual(glob.glob(f"{whole.database}/diverged-*"), [])


if __name__ == "__main__":
    unittest.main()
