"""Client and administrative sessions: who gets one, what it may do, and when it ends."""

import os
import re
import subprocess
import unittest

import Ice
from support.grid import INSTANCE, Grid, wait_until
from support.ice_client import IceGrid, communicator
from support.objects import TYPE, duration_s, target, wait_active_slaves

CYCLES = 100000
IN_FLIGHT = 64


def registry_of(made, replica):
    suffix = "" if replica.replica_name == "Master" else f"-{replica.replica_name}"
    return IceGrid.RegistryPrx.uncheckedCast(made.stringToProxy(f"{INSTANCE}/Registry{suffix}"))


def open_sessions(replica):
    figures = replica.metrics()
    return sum(value for name, value in figures.items() if name.startswith("muster_sessions{"))


class SessionsTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.master = self.grid.add("Master").start()
        self.made = self.enterContext(self.client())

    def client(self, replica=None):
        return communicator(self.grid.locator_of(replica or self.master), Ice__RetryIntervals="-1")

    def add_slave(self):
        slave = self.grid.add("slave1").start()
        wait_active_slaves(self.master, 1)
        return slave

    def session(self, made, user="alice", replica=None):
        return registry_of(made, replica or self.master).createAdminSession(user, "any")

    def test_a_session_ends_when_it_is_destroyed_and_its_objects_with_it(self):
        session = self.session(self.made)
        admin = session.getAdmin()
        self.assertEqual(session.getReplicaName(), "Master")
        session.keepAlive()
        self.assertEqual(admin.getAllRegistryNames(), ["Master"])
        session.destroy()
        for call in (session.keepAlive, session.destroy, admin.getAllRegistryNames):
            with self.assertRaises(Ice.ObjectNotExistException):
                call()

    def test_a_session_ends_with_its_connection(self):
        with self.client() as other:
            self.session(other)
            self.assertEqual(open_sessions(self.master), 1)
        wait_until(lambda: open_sessions(self.master) == 0, "the session has gone with its connection")

    def test_a_session_ends_when_its_client_is_silent(self):
        self.master.stop()
        self.master.start(**{"IceGrid.Registry.SessionTimeout": "1"})
        silent = registry_of(self.made, self.master).createAdminSession("silent", "any")
        silent.ice_getConnection().setACM(60, Ice.ACMClose.CloseOff, Ice.ACMHeartbeat.HeartbeatOff)
        with self.client() as other:
            lively = self.session(other)
            lively.ice_getConnection().setACM(1, Ice.ACMClose.CloseOff, Ice.ACMHeartbeat.HeartbeatAlways)
            wait_until(lambda: open_sessions(self.master) == 1, "the silent session has ended")
            lively.keepAlive()
        with self.assertRaises((Ice.ObjectNotExistException, Ice.ConnectionLostException, Ice.CloseConnectionException,
                                Ice.ConnectionTimeoutException)):
            silent.keepAlive()

    def test_session_and_admin_answer_only_on_their_own_connection(self):
        session = self.session(self.made)
        admin = session.getAdmin()
        with self.client() as other:
            for proxy in (session, admin):
                stolen = other.stringToProxy(self.made.proxyToString(proxy))
                with self.assertRaises(Ice.ObjectNotExistException):
                    stolen.ice_ping()
            IceGrid.RegistryPrx.uncheckedCast(registry_of(other, self.master)).createAdminSession("mallory", "any")
            with self.assertRaises(Ice.ObjectNotExistException):
                IceGrid.AdminPrx.uncheckedCast(
                    other.stringToProxy(self.made.proxyToString(admin))).removeObject(Ice.Identity(name="x"))
        admin.getAllRegistryNames()

    def test_the_update_lock_is_one_sessions_and_names_its_holder(self):
        holder = self.session(self.made, "alice")
        application = IceGrid.ApplicationDescriptor(name="app")
        holder.startUpdate()
        holder.startUpdate()
        with self.client() as made:
            other = self.session(made, "bob")
            for refused in (other.startUpdate, other.finishUpdate,
                            lambda: other.getAdmin().addApplication(application)):
                with self.assertRaises(IceGrid.AccessDeniedException) as denied:
                    refused()
                self.assertEqual(denied.exception.lockUserId, "alice")
            # Only applications are under the lock.
            other.getAdmin().addObjectWithType(target(made, "free"), TYPE)
            holder.getAdmin().addApplication(application)
            holder.finishUpdate()
            other.startUpdate()
            with self.assertRaises(IceGrid.AccessDeniedException) as denied:
                holder.startUpdate()
            self.assertEqual(denied.exception.lockUserId, "bob")
        # The lock goes with its session, the session with its connection.

        def lock():
            holder.startUpdate()
            return True
        wait_until(lock, "the lock is free again")
        holder.finishUpdate()

    def test_the_timeouts_are_those_of_the_configuration(self):
        registry = registry_of(self.made, self.master)
        self.assertEqual((registry.getSessionTimeout(), registry.getACMTimeout()), (30, 30))
        slave = self.grid.add("slave1").start(**{"IceGrid.Registry.SessionTimeout": "7"})
        with self.client(slave) as made:
            registry = registry_of(made, slave)
            self.assertEqual((registry.getSessionTimeout(), registry.getACMTimeout()), (7, 7))
        other = self.grid.add("slave2").start(**{"IceGrid.Registry.Client.ACM.Timeout": "11"})
        with self.client(other) as made:
            registry = registry_of(made, other)
            self.assertEqual((registry.getSessionTimeout(), registry.getACMTimeout()), (30, 11))

    def test_a_slave_gives_administrative_sessions_and_denies_client_sessions(self):
        slave = self.add_slave()
        with self.client(slave) as made:
            self.assertEqual(self.session(made, replica=slave).getReplicaName(), "slave1")
            with self.assertRaises(IceGrid.PermissionDeniedException) as denied:
                registry_of(made, slave).createSession("alice", "any")
            self.assertIn("master", denied.exception.reason)
            self.assertIn("Master", denied.exception.reason)
        client_session = registry_of(self.made, self.master).createSession("alice", "any")
        client_session.keepAlive()
        client_session.destroy()

    def test_a_session_over_a_plain_connection_is_not_secure(self):
        with self.assertRaises(IceGrid.PermissionDeniedException) as denied:
            registry_of(self.made, self.master).createAdminSessionFromSecureConnection()
        self.assertTrue(denied.exception.reason)

    def test_memory_stays_flat_when_sessions_come_and_go(self):
        registry = registry_of(self.made, self.master)

        def cycles(count):
            for _ in range(count // IN_FLIGHT):
                sessions = [call.result() for call in
                            [registry.createAdminSessionAsync("alice", "any") for _ in range(IN_FLIGHT)]]
                for call in [session.destroyAsync() for session in sessions]:
                    call.result()

        def anonymous_kb():
            with open(f"/proc/{self.master.process.pid}/status", encoding="ascii") as file:
                return int(re.search(r"RssAnon:\s+(\d+) kB", file.read()).group(1))

        if os.environ.get("MUSTER_SANITIZED"):
            # Resident memory says nothing there: what was freed is kept in quarantine, with the stack of each. The
            # sanitizer itself tells at the end whether something was left behind.
            cycles(CYCLES // 5)
            self.assertEqual(open_sessions(self.master), 0)
            self.assertEqual(self.master.stop(), 0)
            return
        cycles(CYCLES // 4)
        before = anonymous_kb()
        cycles(CYCLES)
        self.assertEqual(open_sessions(self.master), 0)
        # A hundred bytes kept of each session would be twice as much.
        self.assertLess(anonymous_kb() - before, CYCLES * 50 // 1000)

    def test_too_many_sessions_are_denied_with_the_number(self):
        self.master.stop()
        self.master.start(**{"Muster.Registry.SessionsMax": "3"})
        with self.client() as made:
            sessions = [self.session(made) for _ in range(3)]
            with self.assertRaises(IceGrid.PermissionDeniedException) as denied:
                self.session(made)
            self.assertIn("3", denied.exception.reason)
            sessions[0].destroy()
            self.session(made)


class PasswordTest(unittest.TestCase):
    def hashed(self, password, method):
        return subprocess.run(["openssl", "passwd", method, password], capture_output=True, text=True,
                              check=True).stdout.strip()

    def setUp(self):
        self.grid = self.enterContext(Grid(properties={"IceGrid.Registry.AdminPermissionsVerifier": None,
                                                       "IceGrid.Registry.PermissionsVerifier": None}))
        self.master = self.grid.add("Master")

    def create(self, kind, user, password):
        with communicator(self.grid.locator) as made:
            return getattr(registry_of(made, self.master), kind)(user, password)

    def denied(self, kind, user, password):
        with self.assertRaises(IceGrid.PermissionDeniedException) as denied:
            self.create(kind, user, password)
        return denied.exception.reason

    def test_a_password_file_lets_in_those_who_know_their_password(self):
        path = os.path.join(self.grid.directory, "passwords")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"alice {self.hashed('wonderland', '-6')}\nbob {self.hashed('builder', '-5')}\n")
        # The file holds for administrators alone.
        self.master.start(**{"IceGrid.Registry.AdminCryptPasswords": path})
        for user, password in (("alice", "wonderland"), ("bob", "builder")):
            self.assertTrue(self.create("createAdminSession", user, password))
        for user, password in (("alice", "builder"), ("alice", ""), ("bob", "wonderland"), ("carol", "x"), ("", "x")):
            self.denied("createAdminSession", user, password)
        self.assertIn("IceGrid.Registry.PermissionsVerifier", self.denied("createSession", "alice", "wonderland"))

    def test_without_a_verifier_nobody_gets_a_session_and_is_told_what_to_set(self):
        self.master.start()
        for kind, name in (("createAdminSession", "IceGrid.Registry.AdminPermissionsVerifier"),
                           ("createSession", "IceGrid.Registry.PermissionsVerifier")):
            self.assertIn(name, self.denied(kind, "alice", "any"))

    def test_a_verifier_that_does_not_answer_denies_within_its_bound_and_keeps_nobody_waiting(self):
        with communicator() as made:
            held = made.createObjectAdapterWithEndpoints("Held", "tcp -h 127.0.0.1")
            # Never activated: requests arrive and are not dispatched.
            verifier = held.createDirectProxy(Ice.stringToIdentity("verifier"))
            self.master.start(**{
                "IceGrid.Registry.AdminPermissionsVerifier": made.proxyToString(verifier),
                "IceGrid.Registry.PermissionsVerifier": f"{INSTANCE}/NullPermissionsVerifier",
                "Muster.Registry.VerifierTimeout": "1500",
            })
            with communicator(self.grid.locator) as client:
                waiting = registry_of(client, self.master).createAdminSessionAsync("alice", "any")
                self.assertLess(duration_s(lambda: self.create("createSession", "bob", "any")), 1)
                self.assertFalse(waiting.done())
                with self.assertRaises(IceGrid.PermissionDeniedException):
                    waiting.result(10)


if __name__ == "__main__":
    unittest.main()
