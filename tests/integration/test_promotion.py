"""A master that dies for good, the slave in its place, and the ways in which the old one may come back."""

import glob
import os
import signal
import subprocess
import unittest

import Ice
from support.grid import INSTANCE, MUSTER, Grid, free_port, wait_until
from support.ice_client import admin_session, communicator
from support.objects import wait_active_slaves


def add(replica, name, master="Master"):
    with communicator(replica.grid.locator_of(replica)) as made, admin_session(made, INSTANCE, master) as admin:
        admin.addObjectWithType(made.stringToProxy(f"{name}:tcp -h 127.0.0.1 -p 10000"), "::Test::Object")


def objects(replica):
    """The identities of the test's objects as this replica knows them."""
    with communicator(replica.grid.locator_of(replica)) as made, \
            admin_session(made, INSTANCE, replica.replica_name) as admin:
        return sorted(info.proxy.ice_getIdentity().name for info in admin.getObjectInfosByType("::Test::Object"))


class PromotionTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.old = self.grid.add("Master")
        self.new = self.grid.add("slave1")
        self.old.start()
        self.new.start()
        wait_active_slaves(self.old, 1)
        add(self.old, "acknowledged")

    def promote(self):
        """The operator restarts the slave's database as the master."""
        self.new.stop()
        self.new.replica_name = "Master"
        self.new.start(**{"Ice.Default.Locator": self.grid.locator})

    def lose_a_tail_and_promote(self):
        """The slave misses what its master commits alone; then the master dies and the slave takes its place."""
        self.new.stop()
        wait_until(lambda: self.old.metrics()["muster_active_slaves"] == 0, "the slave is out")
        add(self.old, "tail")
        self.old.kill()
        self.new.replica_name = "Master"
        self.new.start(**{"Ice.Default.Locator": self.grid.locator})

    def test_the_promoted_slave_takes_changes_in_a_new_term(self):
        term = self.old.health()["term"]
        self.old.kill()
        self.promote()
        self.assertEqual(self.new.health()["term"], term + 1)
        add(self.new, "after")
        self.assertEqual(objects(self.new), ["acknowledged", "after"])

    def test_a_plain_restart_of_the_master_begins_no_term(self):
        term = self.old.health()["term"]
        self.old.kill()
        self.old.start()
        self.assertEqual(self.old.health()["term"], term)

    def test_the_old_master_does_not_start_as_itself_and_says_what_to_do(self):
        self.old.kill()
        self.promote()
        self.old.start(wait=False, **{"Ice.Default.Locator": self.grid.locator_of(self.new)})
        self.assertEqual(self.old.wait_end(), 1)
        self.assertIn("term", self.old.log())
        self.assertIn("--force", self.old.log())
        add(self.new, "undisturbed")

    def test_the_old_master_does_not_start_as_itself_where_internal_endpoints_have_no_fixed_port(self):
        anywhere = "tcp -h 127.0.0.1"
        for locator in (True, False):
            with self.subTest(promoted_with_a_locator=locator), \
                    Grid(properties={"IceGrid.Registry.Internal.Endpoints": anywhere}) as grid:
                old, new = grid.add("Master").start(), grid.add("slave1").start()
                wait_active_slaves(old, 1)
                add(old, "acknowledged")
                old.kill()
                new.stop()
                new.replica_name = "Master"
                new.start(**{"Ice.Default.Locator": grid.locator if locator else None})
                old.start(wait=False)
                self.assertEqual(old.wait_end(), 1)
                self.assertIn("another master has taken over", old.log())

    def test_the_old_master_comes_back_as_a_slave_and_its_tail_is_saved(self):
        self.lose_a_tail_and_promote()
        add(self.new, "after")
        self.old.replica_name = "slave9"
        self.old.start(**{"Ice.Default.Locator": self.grid.locator_of(self.new)})
        self.assertEqual(objects(self.old), ["acknowledged", "after"])
        tails = glob.glob(os.path.join(self.old.database, "diverged-*"))
        self.assertEqual(len(tails), 1)
        self.assertIn(os.path.basename(tails[0]), self.old.log())

        shown = subprocess.run([MUSTER, "db", "diverged", tails[0]], capture_output=True, text=True, check=True)
        self.assertIn("tail", shown.stdout)
        nobody = f"TestGrid/Locator:tcp -h 127.0.0.1 -p {free_port()}"
        missed = subprocess.run([MUSTER, "db", "diverged", tails[0], "--apply", f"--Ice.Default.Locator={nobody}"],
                                capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(missed.returncode, 1)
        self.assertRegex(missed.stderr, r"\Amuster db diverged: error: the master cannot be reached: .*\n\Z")
        subprocess.run([MUSTER, "db", "diverged", tails[0], "--apply",
                        f"--Ice.Default.Locator={self.grid.locator_of(self.new)}"], check=True, timeout=60)
        self.assertEqual(objects(self.new), ["acknowledged", "after", "tail"])
        wait_until(lambda: objects(self.old) == ["acknowledged", "after", "tail"], "the slave has it too")

    def test_a_running_master_that_meets_a_higher_term_takes_no_more_changes(self):
        self.old.suspend()
        self.promote()
        self.old.resume()
        self.old.wait_phase("stepped_down")
        with self.assertRaises(Ice.UserException):
            add(self.old, "too-late")
        add(self.new, "undisturbed")

    def test_a_slave_of_another_database_is_refused_and_keeps_its_data(self):
        with Grid() as other:
            stranger_master = other.add("Master").start()
            stranger = other.add("slave2").start()
            add(stranger_master, "of-another-grid")
            stranger_master.stop()
            stranger.stop()
            stranger.start(wait=False, **{"Ice.Default.Locator": self.grid.locator_of(self.old)})
            stranger.wait_phase("refused")
            stranger.wait_log("--initdb-from-replica")
            wait_until(lambda: "slave2" in self.old.log(), "the master's log names the one it refused")
            self.assertEqual(objects(stranger), ["of-another-grid"])

            # What the log says to do:
            stranger.stop()
            stranger.start("--initdb-from-replica", "Master",
                           **{"Ice.Default.Locator": self.grid.locator_of(self.old)})
            self.assertEqual(objects(stranger), ["acknowledged"])

    def test_sigterm_ends_a_replica_with_exit_code_0(self):
        self.assertEqual(self.new.stop(), 0)
        self.old.signal(signal.SIGINT)
        self.assertEqual(self.old.wait_end(), 0)


if __name__ == "__main__":
    unittest.main()
