"""Starts that are interrupted, and a master that takes no changes."""

import os
import signal
import socket
import subprocess
import unittest

import Ice
from support.grid import MUSTER, PATIENCE_S, Grid, free_port, wait_until
from support.ice_client import IceGrid, communicator, locator_of
from support.objects import TYPE, Stream, add, administration, names, target, wait_active_slaves


class InterruptedStartTest(unittest.TestCase):
    def interruptions(self, replica):
        """Ever later moments of a start, each recognised by what there is to see by then."""
        return {
            "at once": lambda: True,
            "when its program runs": lambda: b"registry" in command_line(replica.process.pid),
            "when its directory is locked": lambda: os.path.exists(os.path.join(replica.database, "muster.lock")),
            "when it says something": replica.log,
            "when it takes connections": replica.answers,
        }

    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.master = self.grid.add("Master")
        self.master.start()
        add(self.master, "kept")
        self.master.stop()

    def test_sigterm_ends_a_start_at_any_moment(self):
        for moment, has_come in self.interruptions(self.master).items():
            with self.subTest(moment):
                if os.path.exists(self.master.log_file):
                    os.remove(self.master.log_file)
                self.master.start(wait=False)
                wait_until(has_come, moment)
                self.master.signal(signal.SIGTERM)
                # Before the program has taken the signal into its hands, the kernel ends it.
                self.assertIn(self.master.wait_end(), (0, -signal.SIGTERM))
        self.master.start()
        self.assertEqual(names(self.master), {"kept"})

    def test_kill_9_at_any_moment_of_a_start_leaves_a_database_that_opens(self):
        for moment, has_come in self.interruptions(self.master).items():
            with self.subTest(moment):
                self.master.start(wait=False)
                wait_until(has_come, moment)
                self.master.kill()
                subprocess.run([MUSTER, "db", "check", self.master.database], check=True, capture_output=True)
        self.master.start()
        self.assertEqual(names(self.master), {"kept"})

    def test_kill_9_of_a_slave_at_any_moment_of_its_first_copy_leaves_it_whole_or_empty(self):
        self.master.start(**{"Muster.Registry.Log.MaxChanges": "1"})
        with Stream(self.master, "many") as stream:
            stream.wait_acknowledged(2000)
        expected = names(self.master)
        slave = self.grid.add("slave1")
        for moment, has_come in self.interruptions(slave).items():
            with self.subTest(moment):
                slave.start(wait=False)
                wait_until(has_come, moment)
                slave.kill()
        slave.start()
        self.assertEqual(names(slave), expected)


def command_line(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read()


class ServiceTest(unittest.TestCase):
    """As systemd sees it (sd_notify)."""

    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.socket = self.enterContext(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        self.path = os.path.join(self.grid.directory, "notify")
        self.socket.bind(self.path)

    def told(self, timeout_s):
        self.socket.settimeout(timeout_s)
        return self.socket.recv(4096).decode().splitlines()

    def test_a_replica_is_ready_when_it_serves_and_stopping_when_it_ends(self):
        master, slave = self.grid.add("Master"), self.grid.add("slave1")
        slave.start(wait=False, env={"NOTIFY_SOCKET": self.path})
        slave.wait_log("no copy")
        with self.assertRaises(TimeoutError):
            self.told(0.01)
        master.start()
        self.assertIn("READY=1", self.told(PATIENCE_S))
        self.assertTrue(slave.answers())
        slave.stop()
        self.assertIn("STOPPING=1", self.told(PATIENCE_S))


    def test_a_start_that_is_refused_is_never_ready_and_lets_nobody_in(self):
        master, slave = self.grid.add("Master").start(), self.grid.add("slave1").start()
        wait_active_slaves(master, 1)
        add(master, "both have it")
        master.kill()
        slave.stop()
        slave.replica_name = "Master"
        slave.start(**{"Ice.Default.Locator": self.grid.locator})
        os.remove(master.log_file)
        # What a refused start did wrong was a race, won in half of all cases.
        for attempt in range(6):
            master.start(wait=False, env={"NOTIFY_SOCKET": self.path})
            let_in = False
            while master.is_running():
                let_in = let_in or master.answers()
            self.assertEqual(master.wait_end(), 1)
            self.assertFalse(let_in)
            self.assertEqual(self.told(PATIENCE_S), ["STOPPING=1"], f"attempt {attempt}")
        self.assertNotIn("event=serving", master.log())

        daemon = subprocess.run(
            [MUSTER, "registry", f"--Ice.Config={master.write_configuration(master.configuration())}", "--daemon"],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(daemon.returncode, 1)
        self.assertIn("another master has taken over", daemon.stderr)


class IceAdminTest(unittest.TestCase):
    """The facet Process of Ice's own administration, asked by a stock client."""

    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.made = self.enterContext(communicator())

    def start(self, name, **more):
        port = free_port()
        replica = self.grid.add(name)
        replica.start(wait=False, **{"Ice.Admin.Endpoints": f"tcp -h 127.0.0.1 -p {port}",
                                     "Ice.Admin.InstanceName": name, **more})
        facet = self.made.stringToProxy(f"{name}/admin -f Process:tcp -h 127.0.0.1 -p {port}")
        return replica, wait_until(lambda: Ice.ProcessPrx.checkedCast(facet), "the facet answers")

    def check_ended(self, replica):
        self.assertEqual(replica.wait_end(), 0)
        self.assertIn("event=stopped", replica.log())

    def test_shutdown_ends_a_replica_in_good_order(self):
        master, of_the_master = self.start("Master")
        slave, of_the_slave = self.start("slave1")
        wait_active_slaves(master, 1)
        of_the_master.writeMessage("told by ice", 2)
        master.wait_log("told by ice")
        of_the_slave.shutdown()
        self.check_ended(slave)
        # It has taken its leave: nobody waited for it to be missed.
        wait_active_slaves(master, 0)
        self.assertNotIn("broke", master.log())
        of_the_master.shutdown()
        self.check_ended(master)

    def test_shutdown_ends_a_slave_that_has_no_copy_yet(self):
        slave, process = self.start("slave1", **{"Ice.Default.Locator": f"TestGrid/Locator:tcp -p {free_port()}"})
        process.shutdown()
        self.check_ended(slave)

    def test_it_is_not_there_unless_it_is_asked_for(self):
        master = self.grid.add("Master").start()
        facet = self.made.stringToProxy(f"Master/admin -f Process:{master.client_endpoint}")
        with self.assertRaises(Ice.ObjectNotExistException):
            facet.ice_ping()


class ReadOnlyTest(unittest.TestCase):
    def test_a_read_only_master_answers_and_takes_no_change(self):
        with Grid() as grid:
            master = grid.add("Master").start()
            add(master, "kept")
            master.stop()
            master.start("--readonly", wait=False)
            wait_until(lambda: names(master) == {"kept"}, "it answers")
            with administration(master) as (made, admin):
                for change in (lambda: admin.addObjectWithType(target(made, "new"), TYPE),
                               lambda: admin.removeObject(Ice.Identity(name="kept")),
                               lambda: admin.addApplication(IceGrid.ApplicationDescriptor(name="app"))):
                    with self.assertRaises(IceGrid.DeploymentException) as refused:
                        change()
                    self.assertIn("read", refused.exception.reason)
                with self.assertRaises((Ice.UnknownException, Ice.AdapterNotFoundException)):
                    locator_of(made).getRegistry().setAdapterDirectProxy("adapter", target(made, "dummy"))
            # Nobody takes a copy before the operator has had a look.
            slave = grid.add("slave1").start(wait=False)
            slave.wait_phase("refused")
            slave.wait_log("--readonly")
            self.assertFalse(slave.answers())
            master.stop()
            master.start()
            wait_active_slaves(master, 1)
            add(master, "new")
            self.assertEqual(names(slave), {"kept", "new"})


if __name__ == "__main__":
    unittest.main()
