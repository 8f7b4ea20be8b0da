"""Replicas that are stopped, killed, full, alone or called like another: who notices, and who does not."""

import os
import subprocess
import time
import unittest

import Ice
from support.grid import MUSTER, Grid, wait_until
from support.ice_client import IceGrid, communicator, locator_of
from support.objects import (TYPE, Stream, add, administration, duration_s, locate, names, target, wait_active_slaves)

# One wait for a slave is bounded by Muster.Registry.ReplicationTimeout, 2 s; what waits for nobody takes milliseconds.
ONE_WAIT_S = 4
NO_WAIT_S = 1


class StoppedSlaveTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.master = self.grid.add("Master").start()
        self.stopped = self.grid.add("slave1").start()
        self.other = self.grid.add("slave2").start()
        wait_active_slaves(self.master, 2)
        add(self.master, "before")

    def test_it_delays_one_change_once_and_no_other_and_no_locate(self):
        with administration(self.master) as (made, admin):
            self.stopped.suspend()
            begun = time.monotonic()
            waited_s = []
            first = admin.addObjectWithTypeAsync(target(made, "first"), TYPE)
            first.add_done_callback(lambda _: waited_s.append(time.monotonic() - begun))
            for replica in (self.master, self.other):
                self.assertLess(duration_s(lambda asked=replica: locate(asked, "before")), NO_WAIT_S, replica.name)
            first.result()
            wait_until(lambda: waited_s, "the change is answered")
            self.assertGreater(waited_s[0], 1, "the change did not wait for an active slave")
            self.assertLess(waited_s[0], ONE_WAIT_S)

            later = duration_s(lambda: admin.addObjectWithType(target(made, "second"), TYPE))
            self.assertLess(later, NO_WAIT_S)
            figures = self.master.metrics()
            self.assertEqual(figures["muster_active_slaves"], 1)
            self.assertEqual(figures['muster_slaves_dropped_total{reason="timed_out"}'], 1)
            self.assertEqual(names(self.other), {"before", "first", "second"})
        self.assertIn("slave1", self.master.log())

    def test_two_at_once_delay_many_changes_by_one_wait(self):
        # The third goes on to answer.
        third = self.grid.add("slave3").start()
        wait_active_slaves(self.master, 3)
        with administration(self.master) as (made, admin):
            for slave in (self.stopped, third):
                slave.suspend()
            begun = time.monotonic()
            for change in [admin.addObjectWithTypeAsync(target(made, f"at-once-{n}"), TYPE) for n in range(12)]:
                change.result()
            waited_s = time.monotonic() - begun
            self.assertGreater(waited_s, 1, "the changes did not wait for active slaves")
            self.assertLess(waited_s, ONE_WAIT_S)
            self.assertLess(duration_s(lambda: admin.addObjectWithType(target(made, "later"), TYPE)), NO_WAIT_S)
        self.assertEqual(self.master.metrics()['muster_slaves_dropped_total{reason="timed_out"}'], 2)
        for slave in (self.stopped, third):
            slave.resume()
        wait_active_slaves(self.master, 3)
        for slave in (self.stopped, self.other, third):
            self.assertEqual(len(names(slave)), 14)

    def test_it_catches_up_when_it_goes_on(self):
        self.stopped.suspend()
        add(self.master, "missed")
        wait_active_slaves(self.master, 1)
        self.stopped.resume()
        wait_active_slaves(self.master, 2)
        self.assertEqual(names(self.stopped), {"before", "missed"})
        add(self.master, "after")
        self.assertEqual(names(self.stopped), {"before", "missed", "after"})


class KilledSlaveTest(unittest.TestCase):
    def test_a_killed_slave_is_noticed_by_its_connection_and_waited_for_by_nobody(self):
        # The bound of a wait is far beyond what is allowed here: it must not be needed.
        with Grid(properties={"Muster.Registry.ReplicationTimeout": "30000"}) as grid:
            master, slave = grid.add("Master").start(), grid.add("slave1").start()
            wait_active_slaves(master, 1)
            slave.kill()
            self.assertLess(duration_s(lambda: add(master, "alone")), ONE_WAIT_S)
            wait_active_slaves(master, 0)
            self.assertEqual(master.metrics()['muster_slaves_dropped_total{reason="disconnected"}'], 1)
            slave.start()
            wait_active_slaves(master, 1)
            self.assertEqual(names(slave), {"alone"})

    def test_a_fresh_slave_is_active_once_and_for_all(self):
        with Grid() as grid:
            master = grid.add("Master").start()
            slave = grid.add("slave1").start()
            wait_active_slaves(master, 1)
            with communicator(grid.locator_of(master)) as made:
                well_known = Ice.Identity("Query", grid.instance)
                wait_until(lambda: f"-p {slave.client_port}" in str(locator_of(made).findObjectById(well_known)),
                           "the well-known objects lead to the slave as well")
            self.assertNotIn("slave_dropped", master.log())
            self.assertEqual(master.metrics()["muster_snapshots_sent_total"], 1)


class KilledMasterTest(unittest.TestCase):
    ROUNDS = 4

    def test_every_acknowledged_object_is_there_after_each_kill_9(self):
        with Grid() as grid:
            master, slave = grid.add("Master").start(), grid.add("slave1").start()
            acknowledged, begun = set(), set()
            for round_number in range(self.ROUNDS):
                wait_active_slaves(master, 1)
                with Stream(master, f"round{round_number}") as stream:
                    stream.wait_acknowledged(100 + 70 * round_number)
                    master.kill()
                acknowledged |= stream.acknowledged
                begun |= stream.begun
                self.assertEqual(acknowledged - names(slave), set(), "the slave has lost these")
                master.start()
                found = names(master)
                self.assertEqual(acknowledged - found, set(), "the master has lost these")
                self.assertEqual(found - begun, set(), "nobody has added these")


class FullMapTest(unittest.TestCase):
    SETTINGS = {
        "IceGrid.Registry.LMDB.MapSize": "1",
        "Muster.Registry.LMDB.MapSizeMax": "4",
        # Of these 4 MiB, one is kept for deletions.
        "Muster.Registry.LMDB.MapWarnPercent": "50",
        "Ice.MessageSizeMax": "0",
        "Muster.Registry.Log.MaxBytes": "65536",
    }
    ENOUGH = 400

    @staticmethod
    def big(made, number):
        """An object whose adapter has a very long id."""
        return made.stringToProxy(f"big{number}@" + "a" * 20000)

    def fill(self, made, admin):
        """Adds until it is refused; returns how many there are, and the refusal."""
        for number in range(self.ENOUGH):
            try:
                admin.addObjectWithType(self.big(made, number), TYPE)
            except IceGrid.DeploymentException as refused:
                return number, refused.reason
        return self.fail("the map has no end")

    def test_adding_is_refused_and_all_else_goes_on(self):
        with Grid(properties=self.SETTINGS) as grid:
            master, slave = grid.add("Master").start(), grid.add("slave1").start()
            wait_active_slaves(master, 1)
            with administration(master) as (made, admin):
                count, reason = self.fill(made, admin)
                self.assertGreater(count, 50)
                self.assertIn("full", reason)
                self.assertIn("4 MiB", reason)
                refused = {name: value for name, value in master.metrics().items() if "changes_refused" in name}
                self.assertGreaterEqual(refused['muster_changes_refused_total{reason="storage_full"}'], 1)

                for replica in (master, slave):
                    self.assertEqual(locate(replica, "big0").ice_getIdentity().name, "big0")
                for number in range(count):
                    admin.removeObject(Ice.Identity(name=f"big{number}"))
                self.assertEqual(names(slave), set())
                for number in range(count // 2):
                    admin.addObjectWithType(self.big(made, number), TYPE)
                self.assertEqual(len(names(slave)), count // 2)

    def test_a_log_line_and_a_metric_warn_before(self):
        with Grid(properties=self.SETTINGS) as grid:
            master = grid.add("Master").start()

            def share():
                figures = master.metrics()
                return figures["muster_database_used_bytes"] / figures["muster_database_map_limit_bytes"]

            with administration(master) as (made, admin):
                number = 0
                while share() < 0.6:
                    admin.addObjectWithType(self.big(made, number), TYPE)
                    number += 1

                def warned_at_the_next_change():
                    for adapter in ("A", "B"):
                        admin.updateObject(made.stringToProxy(f"big0@{adapter}"))
                    return "storage_filling" in master.log()

                wait_until(warned_at_the_next_change, "the log warns")
                admin.addObjectWithType(self.big(made, number), TYPE)

    def test_a_full_map_is_still_full_and_whole_after_a_restart(self):
        with Grid(properties=self.SETTINGS) as grid:
            master = grid.add("Master").start()
            with administration(master) as (made, admin):
                count, _ = self.fill(made, admin)
            master.kill()
            master.start()
            self.assertEqual(len(names(master)), count)
            with administration(master) as (made, admin):
                with self.assertRaises(IceGrid.DeploymentException):
                    admin.addObjectWithType(self.big(made, count), TYPE)
                admin.removeObject(Ice.Identity(name="big0"))
            self.assertEqual(len(names(master)), count - 1)

    def test_a_slave_with_too_small_a_map_says_so_and_delays_nobody(self):
        with Grid() as grid:
            master = grid.add("Master").start()
            slave = grid.add("slave1", **{"IceGrid__Registry__LMDB__MapSize": "1",
                                          "Muster__Registry__LMDB__MapSizeMax": "2"})
            with administration(master) as (made, admin):
                for number in range(200):
                    admin.addObjectWithType(self.big(made, number), TYPE)
                slave.start(wait=False)
                slave.wait_log("full")
                slave.wait_log("2 MiB")
                self.assertLess(duration_s(lambda: admin.addObjectWithType(target(made, "more"), TYPE)), NO_WAIT_S)
                self.assertEqual(master.metrics()["muster_active_slaves"], 0)
            self.assertFalse(slave.answers(), "it serves a copy that it does not have")


class FullDiskTest(unittest.TestCase):
    # A file that may grow no further refuses writes as a full disk does, and needs no right to mount one.
    FULL_AT_6_MIB = ("prlimit", "--fsize=6291456", "env", "--ignore-signal=XFSZ")

    def test_changes_are_refused_and_all_else_goes_on(self):
        with Grid(properties={"Ice.MessageSizeMax": "0"}) as grid:
            master = grid.add("Master").start(prefix=self.FULL_AT_6_MIB)
            slave = grid.add("slave1").start()
            wait_active_slaves(master, 1)
            with administration(master) as (made, admin):
                count, reason = FullMapTest().fill(made, admin)
                self.assertGreater(count, 50)
                self.assertIn("full", reason)
                self.assertEqual(master.health()["phase"], "serving")
                self.assertIn("storage_refused", master.log())
                for replica in (master, slave):
                    self.assertEqual(locate(replica, "big0").ice_getIdentity().name, "big0")
                for number in range(count):
                    admin.removeObject(Ice.Identity(name=f"big{number}"))
                admin.addObjectWithType(target(made, "small"), TYPE)
                self.assertEqual((names(master), names(slave)), ({"small"}, {"small"}))
            master.kill()
            master.start(prefix=self.FULL_AT_6_MIB)
            self.assertEqual(names(master), {"small"})


class LonelySlaveTest(unittest.TestCase):
    def test_without_data_and_without_master_it_stays_closed_and_says_why(self):
        with Grid() as grid:
            master, slave = grid.add("Master"), grid.add("slave1")
            slave.start(wait=False)
            slave.wait_log("no copy")
            self.assertFalse(slave.answers())
            self.assertTrue(slave.is_running())

            master.start()
            add(master, "first")
            slave.wait_serving()
            self.assertEqual(names(slave), {"first"})

    def test_a_client_goes_on_to_the_next_replica(self):
        with Grid() as grid:
            master, empty, full = grid.add("Master").start(), grid.add("empty"), grid.add("full").start()
            wait_active_slaves(master, 1)
            add(master, "hello")
            master.kill()
            empty.start(wait=False)
            empty.wait_log("no copy")
            with communicator(grid.locator_of(empty, full)) as made:
                found = locator_of(made).ice_endpointSelection(Ice.EndpointSelectionType.Ordered).findObjectById(
                    Ice.Identity(name="hello"))
            self.assertEqual(found.ice_getIdentity().name, "hello")


class DuplicateNameTest(unittest.TestCase):
    def test_the_second_one_is_refused_visibly_and_delays_nobody(self):
        with Grid() as grid:
            master, first, second = grid.add("Master").start(), grid.add("slave1").start(), grid.add("twin")
            wait_active_slaves(master, 1)
            second.replica_name = "slave1"
            second.start(wait=False)
            second.wait_phase("refused")
            second.wait_log("slave1")
            self.assertIn("name", second.health()["trouble"])
            self.assertLess(duration_s(lambda: add(master, "undisturbed")), NO_WAIT_S)
            self.assertEqual(names(first), {"undisturbed"})
            self.assertFalse(second.answers())

            first.kill()
            second.wait_serving()
            self.assertEqual(names(second), {"undisturbed"})


class BackupTest(unittest.TestCase):
    def db(self, *arguments):
        return subprocess.run([MUSTER, "db", *arguments], capture_output=True, text=True, timeout=60, check=True).stdout

    def test_a_copy_of_a_live_master_has_all_that_was_acknowledged_before_it(self):
        with Grid() as grid:
            master = grid.add("Master").start()
            copy = os.path.join(grid.directory, "copy")
            with Stream(master, "live") as stream:
                stream.wait_acknowledged(200)
                before = stream.acknowledged_now()
                self.db("backup", master.database, copy)
                stream.wait_acknowledged(len(before) + 200)
            for path in (master.database, copy):
                self.db("check", path)
                self.assertTrue(self.db("stat", path))
            master.kill()

            restored = grid.add("restored")
            restored.replica_name = "Master"
            self.db("restore", copy, restored.database)
            restored.start()
            found = names(restored)
            self.assertEqual(before - found, set(), "not in the copy")
            self.assertEqual(found - stream.begun, set())
            add(restored, "after")
            self.assertIn("after", names(restored))

    def test_nothing_is_overwritten(self):
        with Grid() as grid:
            master = grid.add("Master").start()
            add(master, "kept")
            copy = os.path.join(grid.directory, "copy")
            self.db("backup", master.database, copy)
            for verb, source, taken in (("backup", master.database, copy), ("restore", copy, master.database)):
                with self.assertRaises(subprocess.CalledProcessError) as refused:
                    self.db(verb, source, taken)
                self.assertEqual(len(refused.exception.stderr.strip().splitlines()), 1)
                self.assertIn(taken, refused.exception.stderr)
            self.assertEqual(names(master), {"kept"})


if __name__ == "__main__":
    unittest.main()
