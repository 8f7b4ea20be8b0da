"""Real replicas on a disk that loses its power: every write that was not synced is thrown away, or an arbitrary part
of them is. What an administrative call has returned is there afterwards, on the master and on every slave that was
active.

The disk is a preloaded library (tests/support/power_cut.cpp): a replica dies at its next write after the trigger, and
what survives lies in a directory of its own.
"""

import os
import shutil
import threading
import unittest

import Ice
from support.grid import INSTANCE, PATIENCE_S, Grid, wait_until
from support.ice_client import admin_session, communicator

SHIM = os.path.join(os.path.dirname(os.environ["MUSTER_CLIENTS"]), "tests", "libmuster_power_cut.so")
IN_FLIGHT = 16
ACKNOWLEDGED_BEFORE_THE_CUT = 60
TYPE = "::Test::Object"


class CutDisk:
    """The disk of one replica."""

    def __init__(self, replica, seed):
        self.replica = replica
        self.seed = seed
        self.survivors = os.path.join(replica.directory, "survivors")
        self.trigger = os.path.join(replica.directory, "cut")

    def environment(self):
        return {
            "LD_PRELOAD": SHIM,
            "POWER_CUT_DIR": os.path.realpath(self.replica.database),
            "POWER_CUT_SHADOW": self.survivors,
            "POWER_CUT_TRIGGER": self.trigger,
            "POWER_CUT_SEED": str(self.seed),
            # The library comes before a sanitizer's own.
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:detect_leaks=0",
        }

    def cut(self):
        with open(self.trigger, "w", encoding="utf-8"):
            pass

    def replace_database_by_survivors(self):
        """A replica that still runs dies before its next write, or ends by a signal: its disk is as at a cut then."""
        self.cut()
        process = self.replica.process
        process.terminate()
        process.wait(PATIENCE_S)
        self.replica.process = None
        shutil.rmtree(self.replica.database)
        os.rename(self.survivors, self.replica.database)
        os.remove(self.trigger)


class Adder:
    """Adds objects through a master, many at a time, until it fails; knows which calls have returned."""

    def __init__(self, admin, made, prefix):
        self.admin = admin
        self.made = made
        self.prefix = prefix
        self.lock = threading.Lock()
        self.begun = set()
        self.acknowledged = set()
        self.failed = threading.Event()
        self.room = threading.Semaphore(IN_FLIGHT)

    def begin(self):
        name = f"{self.prefix}-{len(self.begun)}"
        self.begun.add(name)
        proxy = self.made.stringToProxy(f"{name}:tcp -h 127.0.0.1 -p 10000")

        def done(future):
            with self.lock:
                if future.exception(0) is None:
                    self.acknowledged.add(name)
                else:
                    self.failed.set()
            self.room.release()

        self.admin.addObjectWithTypeAsync(proxy, TYPE).add_done_callback(done)

    def run(self, at_count, then):
        """Goes on until a call fails; does `then` once so many have returned."""
        told = False
        while not self.failed.is_set():
            if not told and len(self.acknowledged) >= at_count:
                told = True
                then()
            self.room.acquire()
            try:
                self.begin()
            except Ice.Exception:
                break
        # Those under way come to an end as well: the connection is gone.
        for _ in range(IN_FLIGHT - 1):
            self.room.acquire(timeout=PATIENCE_S)


def objects(replica):
    with communicator(replica.grid.locator_of(replica)) as made, \
            admin_session(made, INSTANCE, replica.replica_name) as admin:
        return {info.proxy.ice_getIdentity().name for info in admin.getObjectInfosByType(TYPE)}


def add_until_the_cut(replica, prefix, disk):
    with communicator(replica.grid.locator_of(replica), Ice__RetryIntervals="-1") as made, \
            admin_session(made, INSTANCE) as admin:
        adder = Adder(admin, made, prefix)
        adder.run(ACKNOWLEDGED_BEFORE_THE_CUT, disk.cut)
        return adder


class PowerCutTest(unittest.TestCase):
    def check(self, replica, adder, before):
        found = objects(replica)
        self.assertEqual(adder.acknowledged - found, set(), "acknowledged and lost")
        self.assertEqual(before - found, set(), "from before, and lost")
        self.assertEqual(found - before - adder.begun, set(), "never asked for")
        return found

    def test_a_master_has_what_it_has_acknowledged(self):
        with Grid() as grid:
            master = grid.add("Master")
            before = set()
            for seed in (0, 1, 2):
                disk = CutDisk(master, seed)
                master.start(env=disk.environment())
                adder = add_until_the_cut(master, f"round{seed}", disk)
                disk.replace_database_by_survivors()
                master.start()
                before = self.check(master, adder, before)
                master.stop()

    def test_a_slave_that_takes_the_masters_place_has_what_was_acknowledged(self):
        for seed in (0, 3):
            with self.subTest(seed=seed), Grid() as grid:
                master, slave = grid.add("Master"), grid.add("slave1")
                disks = [CutDisk(replica, seed) for replica in (master, slave)]
                master.start(env=disks[0].environment())
                slave.start(env=disks[1].environment())
                wait_until(lambda: master.metrics()["muster_active_slaves"] == 1, "the slave is active")
                # The master first: what it answers after the slave has gone is not the slave's to have.
                adder = add_until_the_cut(master, "both", disks[0])
                for disk in disks:
                    disk.replace_database_by_survivors()
                slave.replica_name = "Master"
                slave.start(**{"Ice.Default.Locator": grid.locator})
                self.check(slave, adder, set())


if __name__ == "__main__":
    unittest.main()
