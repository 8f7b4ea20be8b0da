"""Well-known objects through `Admin`: the target is asked for its type, and whoever does not answer delays nobody."""

import unittest

import Ice
from support.grid import INSTANCE, Grid
from support.ice_client import IceGrid, communicator
from support.objects import TYPE, add, administration, duration_s, locate, target, wait_active_slaves
from test_locate import Hello

PROBE_TIMEOUT_MS = 1500


class ObjectsTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid(properties={"Muster.Registry.ProbeTimeout": str(PROBE_TIMEOUT_MS)}))
        self.master = self.grid.add("Master").start()
        self.slave = self.grid.add("slave1").start()
        wait_active_slaves(self.master, 1)
        self.made, self.admin = self.enterContext(administration(self.master))

    def server(self, active=True):
        made = self.enterContext(communicator())
        adapter = made.createObjectAdapterWithEndpoints("Server", "tcp -h 127.0.0.1")
        proxy = adapter.add(Hello(), Ice.stringToIdentity("asked"))
        if active:
            adapter.activate()
        return self.made.stringToProxy(made.proxyToString(proxy))

    def test_an_object_is_asked_for_its_type(self):
        self.admin.addObject(self.server())
        self.assertEqual(self.admin.getObjectInfo(Ice.stringToIdentity("asked")).type, "::Demo::Hello")
        with administration(self.slave) as (_, admin):
            self.assertEqual(admin.getObjectInfo(Ice.stringToIdentity("asked")).type, "::Demo::Hello")

    def test_targets_that_do_not_answer_are_given_up_and_hold_up_nobody(self):
        # It accepts connections and never dispatches.
        silent = self.server(active=False)
        waiting = [self.admin.addObjectAsync(silent.ice_identity(Ice.Identity(name=f"silent{number}")))
                   for number in range(50)]
        self.assertLess(duration_s(lambda: add(self.master, "undisturbed")), 1)
        self.assertLess(duration_s(lambda: locate(self.master, "undisturbed")), 1)
        self.assertFalse(any(call.done() for call in waiting))

        def all_refused():
            for call in waiting:
                with self.assertRaises(IceGrid.DeploymentException) as refused:
                    call.result(10)
                self.assertIn("silent", refused.exception.reason)
        self.assertLess(duration_s(all_refused), 2 * PROBE_TIMEOUT_MS / 1000)

    def test_a_target_that_is_not_there_is_refused_with_the_cause(self):
        with self.assertRaises(IceGrid.DeploymentException) as refused:
            self.admin.addObject(self.made.stringToProxy("nobody:tcp -h 127.0.0.1 -p 1"))
        self.assertIn("nobody", refused.exception.reason)
        self.assertIn("refused", refused.exception.reason.lower())

    def test_an_update_keeps_the_type_and_a_removed_object_is_unknown_everywhere(self):
        self.admin.addObjectWithType(target(self.made, "moved"), TYPE)
        self.admin.updateObject(self.made.stringToProxy("moved:tcp -h 127.0.0.1 -p 10001"))
        for replica in (self.master, self.slave):
            with administration(replica) as (_, admin):
                info = admin.getObjectInfo(Ice.stringToIdentity("moved"))
                self.assertEqual((info.type, info.proxy.ice_getEndpoints()[0].getInfo().port), (TYPE, 10001))
        self.admin.removeObject(Ice.stringToIdentity("moved"))
        for replica in (self.master, self.slave):
            with self.assertRaises(Ice.ObjectNotFoundException):
                locate(replica, "moved")
        for unknown in (lambda: self.admin.updateObject(target(self.made, "moved")),
                        lambda: self.admin.removeObject(Ice.stringToIdentity("moved")),
                        lambda: self.admin.getObjectInfo(Ice.stringToIdentity("moved"))):
            with self.assertRaises(IceGrid.ObjectNotRegisteredException):
                unknown()

    def test_the_first_star_of_a_pattern_stands_for_anything(self):
        for name in ("a", "ab", "b", "cat/a", "cat/b"):
            self.admin.addObjectWithType(
                self.made.stringToProxy("x:tcp -h 127.0.0.1 -p 1").ice_identity(Ice.stringToIdentity(name)), TYPE)

        def found(pattern):
            all_found = {Ice.identityToString(info.proxy.ice_getIdentity())
                         for info in self.admin.getAllObjectInfos(pattern)}
            return {name for name in all_found if not name.startswith(f"{INSTANCE}/")}

        for pattern, expected in (("a*", {"a", "ab"}), ("cat/*", {"cat/a", "cat/b"}), ("*b", {"ab", "b", "cat/b"}),
                                  ("a", {"a"}), ("a*b*", set()), ("", {"a", "ab", "b", "cat/a", "cat/b"})):
            self.assertEqual(found(pattern), expected, pattern)

    def test_queries_by_type_answer_on_every_replica(self):
        for name in ("one", "two"):
            self.admin.addObjectWithType(target(self.made, name), TYPE)
        for replica in (self.master, self.slave):
            with communicator(self.grid.locator_of(replica)) as made:
                query = IceGrid.QueryPrx.uncheckedCast(made.stringToProxy(f"{INSTANCE}/Query"))
                found = sorted(proxy.ice_getIdentity().name for proxy in query.findAllObjectsByType(TYPE))
                self.assertEqual(found, ["one", "two"])
                self.assertIn(query.findObjectByType(TYPE).ice_getIdentity().name, found)
                least = query.findObjectByTypeOnLeastLoadedNode(TYPE, IceGrid.LoadSample.LoadSample1)
                self.assertIn(least.ice_getIdentity().name, found)
                self.assertIsNone(query.findObjectByType("::No::Such"))
                self.assertIsNone(query.findObjectById(Ice.stringToIdentity("nobody")))
                self.assertEqual(query.findAllReplicas(None), [])


if __name__ == "__main__":
    unittest.main()
