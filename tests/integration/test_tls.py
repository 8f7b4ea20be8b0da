"""A grid that speaks TLS alone: replicas, clients, servers and administrators, each with a certificate."""

import glob
import os
import subprocess
import unittest

import Ice
from support.certificates import Authority
from support.grid import INSTANCE, MUSTER, Grid, wait_until
from support.ice_client import IceGrid, admin_session, communicator, locator_of
from support.objects import TYPE, wait_active_slaves
from test_locate import Hello, ping

NOT_LET_IN = (Ice.SecurityException, Ice.ProtocolException, Ice.ConnectionLostException, Ice.ConnectTimeoutException,
              Ice.ConnectFailedException, Ice.PluginInitializationException)


class TlsTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid(protocol="ssl", properties={"IceGrid.Registry.RequireReplicaCertCN": "1"}))
        self.authority = Authority(self.grid.directory, "ours")
        self.master = self.grid.add("Master")
        self.slave = self.grid.add("slave1")
        self.alice = self.authority.issue("alice")

    def start_both(self, **more):
        for replica in (self.master, self.slave):
            replica.start(**self.authority.issue(replica.name), **more)
        wait_active_slaves(self.master, 1)

    def client(self, identity, *replicas, **more):
        return communicator(self.grid.locator_of(*(replicas or self.grid.replicas)), Ice__RetryIntervals="-1",
                            **{name.replace(".", "__"): value for name, value in {**identity, **more}.items()})

    def test_servers_clients_and_changes_need_no_plain_text_endpoint(self):
        self.start_both()
        with self.client(self.alice, self.slave, **{"Hello.Endpoints": "ssl -h 127.0.0.1",
                                                    "Hello.AdapterId": "HelloAdapter"}) as server:
            adapter = server.createObjectAdapter("Hello")
            adapter.add(Hello(), Ice.stringToIdentity("hello"))
            adapter.activate()
            for replica in (self.master, self.slave):
                with self.client(self.alice, replica) as made:
                    self.assertTrue(ping(made, "hello@HelloAdapter"))
                    for endpoint in locator_of(made).getRegistry().ice_getEndpoints():
                        self.assertIn("ssl", str(endpoint))
            with self.client(self.alice) as made, admin_session(made, INSTANCE) as admin:
                admin.addObjectWithType(made.stringToProxy("added:ssl -h 127.0.0.1 -p 1"), TYPE)
            self.master.kill()
            with self.client(self.alice) as made:
                self.assertTrue(ping(made, "hello@HelloAdapter"))
                self.assertTrue(locator_of(made).findObjectById(Ice.stringToIdentity("added")))

    def test_a_secure_connection_is_who_its_certificate_says(self):
        self.start_both(**{"IceGrid.Registry.AdminSSLPermissionsVerifier": f"{INSTANCE}/NullSSLPermissionsVerifier"})
        with self.client(self.alice) as made:
            registry = IceGrid.RegistryPrx.uncheckedCast(made.stringToProxy(f"{INSTANCE}/Registry"))
            admin = registry.createAdminSessionFromSecureConnection().getAdmin()
            admin.addApplication(IceGrid.ApplicationDescriptor(name="app"))
            self.assertIn("CN=alice", admin.getApplicationInfo("app").createUser)

    def test_a_client_opens_a_session_by_its_secure_connection(self):
        self.master.start(**self.authority.issue("Master"),
                          **{"IceGrid.Registry.SSLPermissionsVerifier": f"{INSTANCE}/NullSSLPermissionsVerifier"})

        def client_sessions():
            return self.master.metrics()['muster_sessions{kind="client"}']
        with self.client(self.alice) as made:
            registry = IceGrid.RegistryPrx.uncheckedCast(made.stringToProxy(f"{INSTANCE}/Registry"))
            session = registry.createSessionFromSecureConnection()
            session.keepAlive()
            self.assertEqual(client_sessions(), 1)
            session.destroy()
            self.assertEqual(client_sessions(), 0)
            with self.assertRaises(IceGrid.PermissionDeniedException):
                registry.createAdminSessionFromSecureConnection()  # its verifier is another one

    def test_what_other_replicas_tell_leads_a_replica_with_secure_endpoints_to_no_plain_one(self):
        # The master can be asked over TLS, and would have its slaves come over tcp.
        plain = f"tcp -h 127.0.0.1 -p {self.master.internal_port}"
        everybody = {"IceGrid.Registry.RequireReplicaCertCN": "0"}
        self.master.start(**self.authority.issue("Master"), **everybody,
                          **{"IceGrid.Registry.Internal.Endpoints": plain})
        self.slave.start(**self.authority.issue("slave1"), **everybody)
        wait_active_slaves(self.master, 1)
        led = self.grid.add("slave2")
        led.start(wait=False, **self.authority.issue("slave2"), **everybody,
                  **{"Ice.Default.Locator": self.grid.locator_of(self.slave)})
        led.wait_log("no copy")
        self.assertFalse(led.answers(), "it has got a copy")
        self.assertEqual(self.master.metrics()["muster_active_slaves"], 1)
        # It is the endpoint alone that keeps it from there.
        self.master.stop()
        self.master.start(**self.authority.issue("Master"), **everybody)
        led.wait_serving()

    def test_stock_icegridadmin_works_with_its_certificate(self):
        self.start_both(**{"IceGrid.Registry.AdminSSLPermissionsVerifier": f"{INSTANCE}/NullSSLPermissionsVerifier"})
        identity = [f"--{name}={value}" for name, value in self.alice.items()]
        for login in (["--ssl"], ["-u", "alice", "-p", "any"], ["--ssl", "--replica", "slave1"]):
            done = subprocess.run(
                ["icegridadmin", f"--Ice.Default.Locator={self.grid.locator}", *identity, *login, "-e",
                 "registry list"], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(sorted(done.stdout.split()), ["Master", "slave1"])

    def test_muster_ping_asks_with_the_properties_that_it_is_given(self):
        self.master.start(**self.authority.issue("Master"))

        def ping(*properties):
            return subprocess.run([MUSTER, "ping", "--locator", self.grid.locator_of(self.master), *properties],
                                  capture_output=True, text=True, timeout=60, check=False)
        # In a file they may be those of the replica itself, whose endpoints stay closed.
        for properties in ([f"--{name}={value}" for name, value in self.alice.items()],
                           [f"--Ice.Config={os.path.join(self.master.directory, 'registry.conf')}"]):
            done = ping(*properties)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertIn(f": up, {INSTANCE}/Registry ", done.stdout)
        done = ping(f"--IceSSL.CAs={self.authority.path('ca.pem')}")
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        self.assertIn("no answer", done.stdout)

    def test_a_tail_that_was_lost_is_applied_again(self):
        self.start_both()
        self.slave.stop()
        wait_active_slaves(self.master, 0)
        with self.client(self.alice, self.master) as made, admin_session(made, INSTANCE) as admin:
            admin.addObjectWithType(made.stringToProxy("lost:ssl -h 127.0.0.1 -p 1"), TYPE)
        self.master.kill()
        self.slave.replica_name = "Master"
        self.slave.start(**self.authority.issue("Master"), **{"Ice.Default.Locator": self.grid.locator})
        self.master.replica_name = "slave9"
        self.master.start(**self.authority.issue("slave9"),
                          **{"Ice.Default.Locator": self.grid.locator_of(self.slave)})
        tail, = glob.glob(os.path.join(self.master.database, "diverged-*"))
        done = subprocess.run(
            [MUSTER, "db", "diverged", "--apply", tail,
             f"--Ice.Default.Locator={self.grid.locator_of(self.slave)}",
             *(f"--{name}={value}" for name, value in self.alice.items())],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        with self.client(self.alice, self.slave) as made:
            self.assertTrue(locator_of(made).findObjectById(Ice.stringToIdentity("lost")))

    def test_without_a_certificate_of_the_authority_nothing_gets_in(self):
        self.start_both()
        stranger = Authority(self.grid.directory, "theirs").issue("stranger")
        stranger["IceSSL.CAs"] = self.authority.path("ca.pem")
        for identity in (self.authority.trust(), stranger):
            with self.client(identity) as made:
                for replica in (self.master, self.slave):
                    for port in (replica.client_port, replica.server_port, replica.internal_port):
                        proxy = made.stringToProxy(f"{INSTANCE}/MusterReplica:ssl -h 127.0.0.1 -p {port}")
                        with self.assertRaises(NOT_LET_IN, msg=f"{replica.name} {port}"):
                            proxy.ice_ping()
                    # Plain text is no greeting here: nothing ever answers it.
                    plain = made.stringToProxy(f"{INSTANCE}/MusterReplica:tcp -h 127.0.0.1 -p {replica.internal_port}")
                    with self.assertRaises((*NOT_LET_IN, Ice.InvocationTimeoutException)):
                        plain.ice_invocationTimeout(500).ice_ping()
        # Nobody was disturbed.
        with self.client(self.alice) as made, admin_session(made, INSTANCE) as admin:
            admin.addObjectWithType(made.stringToProxy("added:ssl -h 127.0.0.1 -p 1"), TYPE)
        wait_active_slaves(self.master, 1)

    def test_a_slave_with_another_name_in_its_certificate_is_refused(self):
        self.master.start(**self.authority.issue("Master"))
        self.slave.start(wait=False, **self.authority.issue("somebody"))
        self.slave.wait_log("RequireReplicaCertCN")
        self.master.wait_log("somebody")
        self.assertFalse(self.slave.answers(), "it has got a copy")
        self.assertEqual(self.master.metrics()["muster_active_slaves"], 0)

        self.slave.kill()
        self.slave.start(**self.authority.issue("slave1"))
        wait_active_slaves(self.master, 1)

    def test_a_master_with_another_name_in_its_certificate_is_refused(self):
        self.start_both()
        with self.client(self.alice) as made, admin_session(made, INSTANCE) as admin:
            admin.addObjectWithType(made.stringToProxy("kept:ssl -h 127.0.0.1 -p 1"), TYPE)
        self.master.kill()
        self.slave.kill()
        self.master.start(**self.authority.issue("impostor"))
        self.slave.start(wait=False, **self.authority.issue("slave1"))
        self.slave.wait_log("impostor")
        # It serves from its own copy; the one need not come before the other.
        wait_until(self.slave.answers, "the slave answers")
        with self.client(self.alice, self.slave) as made:
            self.assertTrue(locator_of(made).findObjectById(Ice.stringToIdentity("kept")))
        self.assertEqual(self.master.metrics()["muster_active_slaves"], 0)

    def test_a_slave_without_a_certificate_gets_nothing_and_says_why(self):
        self.master.start(**self.authority.issue("Master"))
        self.slave.start(wait=False, **{"IceGrid.Registry.RequireReplicaCertCN": "0"}, **self.authority.trust())
        self.slave.wait_log("no_master")
        self.assertFalse(self.slave.answers(), "it has got a copy")
        self.assertEqual(self.master.metrics()["muster_active_slaves"], 0)


if __name__ == "__main__":
    unittest.main()
