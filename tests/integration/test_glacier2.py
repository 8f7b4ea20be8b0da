"""Clients and administrators who come through a stock glacier2router."""

import os
import socket
import subprocess
import unittest

import Ice
from support.grid import INSTANCE, PATIENCE_S, Grid, free_port, wait_until
from support.ice_client import IceGrid, communicator
from support.objects import TYPE, names, target, wait_active_slaves
from test_sessions import open_sessions

# The registry's Slice includes only a part of it.
Ice.loadSlice(f"-I{Ice.getSliceDir()} --all {Ice.getSliceDir()}/Glacier2/Router.ice")
import Glacier2  # noqa: E402  pylint: disable=wrong-import-position

ADMIN_SESSIONS = {"IceGrid.Registry.AdminSessionManager.Endpoints": "tcp -h 127.0.0.1"}
CLIENT_SESSIONS = {"IceGrid.Registry.SessionManager.Endpoints": "tcp -h 127.0.0.1"}


class Router:
    """A stock router whose sessions are made by this session manager."""

    def __init__(self, grid, manager):
        self.port = free_port()
        properties = {
            "Glacier2.Client.Endpoints": f"tcp -h 127.0.0.1 -p {self.port}",
            "Glacier2.Server.Endpoints": "tcp -h 127.0.0.1",
            "Glacier2.PermissionsVerifier": "Glacier2/NullPermissionsVerifier",
            "Glacier2.SessionManager": f"{grid.instance}/{manager}",
            "Ice.Default.Locator": grid.locator,
        }
        with open(os.path.join(grid.directory, f"router-{self.port}"), "wb") as log:
            self.process = subprocess.Popen(
                ["glacier2router", "--nowarn", *(f"--{name}={value}" for name, value in properties.items())],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    @property
    def proxy(self):
        return f"Glacier2/router:tcp -h 127.0.0.1 -p {self.port}"

    def __enter__(self):
        def answers():
            with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return True
        wait_until(answers, "the router answers")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(PATIENCE_S)


class RoutedTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid(properties={**ADMIN_SESSIONS, **CLIENT_SESSIONS}))
        self.master = self.grid.add("Master").start()
        self.slave = self.grid.add("slave1").start()
        wait_active_slaves(self.master, 1)

    def routed(self, router):
        """A client that knows nothing but the router."""
        return communicator(Ice__Default__Router=router.proxy)

    def session(self, made, session_type):
        router = Glacier2.RouterPrx.checkedCast(made.getDefaultRouter())
        return router, session_type.uncheckedCast(router.createSession("alice", "any"))

    def test_an_administrator_changes_the_master_through_a_router(self):
        with Router(self.grid, "AdminSessionManager") as router, self.routed(router) as made:
            entrance, session = self.session(made, IceGrid.AdminSessionPrx)
            self.assertEqual(session.getReplicaName(), "Master")
            admin = session.getAdmin()
            admin.addObjectWithType(target(made, "routed"), TYPE)
            self.assertEqual(sorted(admin.getAllRegistryNames()), ["Master", "slave1"])
            self.assertEqual(names(self.slave), {"routed"})
            self.assertEqual(open_sessions(self.master), 1)
            entrance.destroySession()
            wait_until(lambda: open_sessions(self.master) == 0, "the session has ended with the router's")

    def test_a_session_ends_with_the_connection_to_the_router(self):
        with Router(self.grid, "AdminSessionManager") as router:
            with self.routed(router) as made:
                self.session(made, IceGrid.AdminSessionPrx)
                self.assertEqual(open_sessions(self.master), 1)
            wait_until(lambda: open_sessions(self.master) == 0, "the session has ended with its client")

    def test_objects_of_a_session_answer_on_no_client_endpoint(self):
        with Router(self.grid, "AdminSessionManager") as router, self.routed(router) as made:
            _, session = self.session(made, IceGrid.AdminSessionPrx)
            for proxy in (session, session.getAdmin()):
                with communicator() as outside:
                    stolen = outside.stringToProxy(f"x:{self.master.client_endpoint}").ice_identity(
                        proxy.ice_getIdentity())
                    with self.assertRaises(Ice.ObjectNotExistException):
                        stolen.ice_ping()
            session.keepAlive()

    def test_each_slave_has_a_manager_of_its_own(self):
        with Router(self.grid, "AdminSessionManager-slave1") as router, self.routed(router) as made:
            _, session = self.session(made, IceGrid.AdminSessionPrx)
            self.assertEqual(session.getReplicaName(), "slave1")
            with self.assertRaises(IceGrid.DeploymentException):
                session.getAdmin().addObjectWithType(target(made, "refused"), TYPE)

    def test_a_client_asks_through_a_router(self):
        with Router(self.grid, "SessionManager") as router, self.routed(router) as made:
            _, session = self.session(made, IceGrid.SessionPrx)
            session.keepAlive()
            query = IceGrid.QueryPrx.uncheckedCast(made.stringToProxy(f"{INSTANCE}/Query"))
            self.assertTrue(query.findObjectById(Ice.stringToIdentity(f"{INSTANCE}/Locator")))

    def test_stock_icegridadmin_works_through_a_router(self):
        with Router(self.grid, "AdminSessionManager") as router:
            done = subprocess.run(
                ["icegridadmin", f"--Ice.Default.Router={router.proxy}", "-u", "alice", "-p", "any",
                 "-e", f'object add "added:tcp -h 127.0.0.1 -p 1" {TYPE}', "-e", "registry list"],
                capture_output=True, text=True, timeout=60, check=False, env={**os.environ, "ICE_CONFIG": ""})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(sorted(done.stdout.split()), ["Master", "slave1"])
        self.assertEqual(names(self.slave), {"added"})


if __name__ == "__main__":
    unittest.main()
