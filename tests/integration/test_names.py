"""Names and sizes that break lesser registries: through master and slave, after a restart, and in a fresh copy."""

import itertools
import shutil
import unittest

import Ice
from support.grid import INSTANCE, Grid
from support.ice_client import IceGrid, communicator, locator_of
from support.objects import TYPE, administration, names, wait_active_slaves

NAMES = (
    "with spaces",
    " leading and trailing ",
    "quotes'\"`",
    "back\\slash",
    "a/b",
    "/",
    "at@sign",
    "@",
    "colon:tcp -h x",
    "per%cent",
    "line\nbreak\ttab",
    "Grüße, 世界, Ωmega, 😀",
    "Ã",
    "-t -e 1.0",
    "*",
    "x" * 511,
    "x" * 512,
    "ü" * 2000,
)

# A slave that is fresh gets a snapshot: the log does not reach back to the first change.
SHORT_LOG = {"Muster.Registry.Log.MaxChanges": "1"}

LARGE_COUNT = 100000
ROOM = {"Ice.MessageSizeMax": "1024"}  # KB, the default, said here because the test is about it


class NamesTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid(properties=SHORT_LOG))
        self.master = self.grid.add("Master").start()
        self.slave = self.grid.add("slave1").start()
        wait_active_slaves(self.master, 1)

    def everywhere(self, check):
        """Master, slave, both after a restart, and a fresh slave with a snapshot."""
        for replica in (self.master, self.slave):
            check(replica)
        self.slave.kill()
        self.master.kill()
        self.master.start()
        self.slave.start()
        fresh = self.grid.add("fresh").start()
        for replica in (self.master, self.slave, fresh):
            check(replica)
        self.assertEqual(fresh.metrics()["muster_snapshots_installed_total"], 1)
        self.assertGreaterEqual(self.master.metrics()["muster_snapshots_sent_total"], 1)

    def test_object_identities(self):
        identities = [Ice.Identity(name=name) for name in NAMES]
        identities += [Ice.Identity(name="n", category=name) for name in NAMES]
        identities += [Ice.Identity(name=name, category=name) for name in NAMES]
        with administration(self.master) as (made, admin):
            target = made.stringToProxy("x:tcp -h 127.0.0.1 -p 10000")
            for identity in identities:
                admin.addObjectWithType(target.ice_identity(identity), TYPE)
            with self.assertRaises(IceGrid.ObjectExistsException):
                admin.addObjectWithType(target.ice_identity(identities[-1]), TYPE)

        def check(replica):
            with administration(replica) as (made, admin):
                locator = locator_of(made)
                for identity in identities:
                    self.assertEqual(locator.findObjectById(identity), target_of(made, identity))
                    self.assertEqual(admin.getObjectInfo(identity).proxy, target_of(made, identity))
                found = [info.proxy.ice_getIdentity() for info in admin.getObjectInfosByType(TYPE)]
                self.assertEqual(sorted(found, key=as_pair), sorted(identities, key=as_pair))

        def target_of(made, identity):
            return made.stringToProxy("x:tcp -h 127.0.0.1 -p 10000").ice_identity(identity)

        def as_pair(identity):
            return identity.category, identity.name

        self.everywhere(check)
        with administration(self.master) as (_, admin):
            for identity in identities:
                admin.removeObject(identity)
        self.assertEqual(names(self.slave), set())

    def test_types(self):
        with administration(self.master) as (made, admin):
            for number, name in enumerate(NAMES):
                admin.addObjectWithType(made.stringToProxy(f"object{number}:tcp -h 127.0.0.1 -p 10000"), name)

        def check(replica):
            with communicator(self.grid.locator_of(replica)) as made:
                query = IceGrid.QueryPrx.uncheckedCast(made.stringToProxy(f"{INSTANCE}/Query"))
                for number, name in enumerate(NAMES):
                    found = [proxy.ice_getIdentity().name for proxy in query.findAllObjectsByType(name)]
                    self.assertEqual(found, [f"object{number}"], name)

        self.everywhere(check)

    def test_adapter_and_replica_group_ids(self):
        groups = {name: f"group of {name}" for name in NAMES}
        with communicator(self.grid.locator_of(self.slave)) as made:
            registry = locator_of(made).getRegistry()
            for number, name in enumerate(NAMES):
                proxy = made.stringToProxy(f"dummy:tcp -h 127.0.0.1 -p {10000 + number}")
                registry.setReplicatedAdapterDirectProxy(name, groups[name], proxy)

        def check(replica):
            with administration(replica) as (made, admin):
                for number, name in enumerate(NAMES):
                    proxy = made.stringToProxy(f"dummy:tcp -h 127.0.0.1 -p {10000 + number}")
                    self.assertEqual(locator_of(made).findAdapterById(name), proxy)
                    self.assertEqual(locator_of(made).findAdapterById(groups[name]).ice_getEndpoints(),
                                     proxy.ice_getEndpoints())
                    info, = admin.getAdapterInfo(name)
                    self.assertEqual((info.id, info.replicaGroupId), (name, groups[name]))
                self.assertEqual(sorted(admin.getAllAdapterIds()), sorted([*NAMES, *groups.values()]))

        self.everywhere(check)
        with administration(self.master) as (_, admin):
            for name in NAMES:
                admin.removeAdapter(name)
        with administration(self.slave) as (_, admin):
            self.assertEqual(admin.getAllAdapterIds(), [])

    def test_empty_names_are_answered_in_words(self):
        with administration(self.master) as (made, admin):
            nameless = made.stringToProxy("x:tcp -h 127.0.0.1 -p 1").ice_identity(Ice.Identity(name="x"))
            with self.assertRaises(Ice.ObjectNotFoundException):
                locator_of(made).findObjectById(Ice.Identity())
            with self.assertRaises(Ice.AdapterNotFoundException):
                locator_of(made).findAdapterById("")
            with self.assertRaises(IceGrid.AdapterNotExistException):
                admin.getAdapterInfo("")
            with self.assertRaises(IceGrid.DeploymentException) as refused:
                admin.addObjectWithType(None, TYPE)
            self.assertTrue(refused.exception.reason)
            # An object without a type, or with an empty one, is still an object.
            admin.addObjectWithType(nameless, "")
            self.assertEqual(admin.getObjectInfo(Ice.Identity(name="x")).type, "")

    def test_an_application_of_a_megabyte(self):
        descriptor = IceGrid.ApplicationDescriptor(
            name="large", description="d" * 900000,
            variables={f"variable {number} ü": "v" * 1000 for number in range(100)})

        def check(replica):
            with administration(replica) as (_, admin):
                found = admin.getApplicationInfo("large").descriptor
                self.assertEqual((found.description, found.variables), (descriptor.description, descriptor.variables))

        with administration(self.master) as (made, admin):
            admin.addApplication(descriptor)
            for number in range(3):
                admin.addObjectWithType(made.stringToProxy(f"later{number}:tcp -h 127.0.0.1 -p 1"), TYPE)
        self.everywhere(check)


class LargeStateTest(unittest.TestCase):
    """More than one message of the default size can hold, so that a copy has to come in pieces."""

    def setUp(self):
        self.grid = self.enterContext(Grid(properties=ROOM))
        self.master = self.grid.add("Master").start()
        with administration(self.master) as (made, admin):
            target = made.stringToProxy("x:tcp -h 127.0.0.1 -p 10000")
            numbers = iter(range(LARGE_COUNT))
            while calls := [
                    admin.addObjectWithTypeAsync(target.ice_identity(Ice.Identity(name=self.name(number))), TYPE)
                    for number in itertools.islice(numbers, 500)]:
                for call in calls:
                    call.result()

    @staticmethod
    def name(number):
        return f"one of very many objects, with a name of some length: {number:06}"

    def check(self, replica):
        self.assertEqual(replica.metrics()["muster_objects"], LARGE_COUNT)
        with communicator(self.grid.locator_of(replica)) as made:
            for number in (0, 1, LARGE_COUNT // 2, LARGE_COUNT - 1):
                self.assertTrue(locator_of(made).findObjectById(Ice.Identity(name=self.name(number))))

    def test_a_fresh_slave_and_a_copy_from_a_slave_have_all_of_it(self):
        slave = self.grid.add("slave1").start()
        self.check(slave)
        self.assertEqual(slave.metrics()["muster_snapshots_installed_total"], 1)

        copy = self.grid.add("slave2")
        copy.start("--initdb-from-replica", "slave1")
        self.check(copy)
        wait_active_slaves(self.master, 2)

    def test_a_master_that_lost_its_database_copies_it_from_a_slave(self):
        slave = self.grid.add("slave1").start()
        self.check(slave)
        self.master.kill()
        shutil.rmtree(self.master.database)
        self.master.start("--initdb-from-replica", "slave1", **{"Ice.Default.Locator": self.grid.locator})
        self.check(self.master)
        wait_active_slaves(self.master, 1)

    def test_a_list_beyond_the_size_of_a_message_is_refused_in_words_and_the_session_lives(self):
        with administration(self.master) as (_, admin):
            with self.assertRaises(Ice.UnknownException) as refused:
                admin.getAllObjectInfos("")
            self.assertIn("Ice.MessageSizeMax", refused.exception.unknown)
            self.assertEqual(len(admin.getAllObjectInfos(self.name(7))), 1)


if __name__ == "__main__":
    unittest.main()
