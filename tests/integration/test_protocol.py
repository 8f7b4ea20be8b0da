"""The protocol between replicas, spoken by hand: peers that are older or newer, and peers that make no sense.

The layout is that of docs/protocols/replication.md: the handshake belongs to no version and only grows at its end.
"""

import os
import queue
import struct
import unittest
import uuid

import Ice
from support.grid import INSTANCE, PATIENCE_S, Grid
from support.objects import add, duration_s, names, wait_active_slaves

SLICE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "slice")
Ice.loadSlice(f"-I{SLICE} -I{Ice.getSliceDir()} --all {SLICE}/Muster/Replica.ice")
import Muster  # noqa: E402  pylint: disable=wrong-import-position

HANDSHAKE = 0
OPEN, REFUSED, OPENED = 2, 3, 4
FOLLOW = 0
NO_COMMON_VERSION = 2
WHOLE = b"\x00"


def text(content):
    encoded = content.encode()
    assert len(encoded) < 128, "its size would take more than one byte"
    return bytes([len(encoded)]) + encoded


def description(name, versions):
    """A slave that has never had a copy."""
    role_slave, phase_searching = 1, 4
    no_history = bytes(16) + bytes(1) + bytes(3)  # no database, no term; last, acknowledged and replicated are 0
    return (bytes(versions) + text(name) + uuid.uuid4().bytes + bytes([role_slave, phase_searching]) + no_history +
            text(""))


class Reader:
    def __init__(self, content):
        self.rest = content

    def take(self, count):
        taken, self.rest = self.rest[:count], self.rest[count:]
        assert len(taken) == count, "the message is too short"
        return taken

    def u8(self):
        return self.take(1)[0]

    def u64(self):
        return struct.unpack("<Q", self.take(8))[0]

    def text(self):
        size, shift = 0, 0
        while True:
            byte = self.u8()
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return self.take(size).decode()


class Peer(Muster.Replica):
    """A replica of one message: what it is told back, on the same connection, is in its queue."""

    def __init__(self, replica, name):
        self.name = name
        self.told = queue.Queue()
        data = Ice.InitializationData()
        data.properties = Ice.createProperties()
        data.properties.setProperty("Ice.Warn.Connections", "0")
        self.communicator = Ice.initialize(data)
        identity = Ice.Identity(name="MusterReplica", category=INSTANCE)
        adapter = self.communicator.createObjectAdapter("")
        adapter.add(self, identity)
        adapter.activate()
        self.remote = Muster.ReplicaPrx.uncheckedCast(
            self.communicator.stringToProxy(f"x:{replica.endpoint(replica.internal_port)}").ice_identity(identity))
        self.remote.ice_getConnection().setAdapter(adapter)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.communicator.destroy()

    def deliver(self, content, current=None):
        self.told.put(bytes(content))

    def say(self, content):
        self.remote.deliver(WHOLE + content)

    def open(self, versions, added=b""):
        """Asks to follow; returns the answer's version, its kind and the rest of it."""
        attempt = 4711
        self.say(bytes([HANDSHAKE, OPEN]) + struct.pack("<Q", attempt) + bytes([FOLLOW, 0]) +
                 description(self.name, versions) + added)
        answer = Reader(self.told.get(timeout=PATIENCE_S))
        assert answer.take(1) == WHOLE
        version, kind = answer.u8(), answer.u8()
        assert answer.u64() == attempt
        return version, kind, answer


class VersionTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.master = self.grid.add("Master").start()

    def peer(self, name):
        return self.enterContext(Peer(self.master, name))

    def test_a_newer_peer_that_still_speaks_ours_gets_the_common_version(self):
        _, kind, answer = self.peer("newer").open((1, 9))
        self.assertEqual(kind, OPENED)
        answer.u64()  # the session
        self.assertEqual(answer.u8(), 1)

    def test_what_a_newer_handshake_adds_at_its_end_is_passed_over(self):
        _, kind, _ = self.peer("newer").open((1, 9), added=b"something that we do not know yet")
        self.assertEqual(kind, OPENED)

    def refused(self, name, versions):
        version, kind, answer = self.peer(name).open(versions)
        self.assertEqual((version, kind, answer.u8()), (HANDSHAKE, REFUSED, NO_COMMON_VERSION))
        sentence = answer.text()
        self.master.wait_log(name)
        self.assertIn(sentence[:40], self.master.log())
        return sentence

    def test_a_peer_that_is_too_new_is_told_to_upgrade_us(self):
        self.assertIn("Upgrade 'Master'", self.refused("too-new", (2, 9)))

    def test_a_peer_that_is_too_old_is_told_to_upgrade_itself(self):
        self.assertIn("Upgrade 'too-old'", self.refused("too-old", (0, 0)))


class StrangerTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.master = self.grid.add("Master").start()
        self.slave = self.grid.add("slave1").start()
        wait_active_slaves(self.master, 1)

    def test_nonsense_is_logged_and_disturbs_nobody(self):
        nonsense = [b"", b"\x00", b"\x01", b"\xff" * 100, bytes(range(256)), WHOLE + bytes([0, OPEN]),
                    WHOLE + bytes([0, 200]), WHOLE + bytes([1, 5]) + b"\xff" * 40, b"\x01" + b"\xff" * 30]
        for replica in (self.master, self.slave):
            for content in nonsense:
                with Peer(replica, "stranger") as stranger:
                    try:
                        stranger.remote.deliver(content)
                    except Ice.LocalException:
                        pass  # The connection is closed on who says such things.
            replica.wait_log("replica_message_unreadable")
        add(self.master, "undisturbed")
        self.assertEqual(names(self.slave), {"undisturbed"})
        self.assertEqual(self.master.metrics()["muster_active_slaves"], 1)

    def test_a_slave_that_opens_a_session_and_falls_silent_is_waited_for_by_nobody(self):
        with Peer(self.master, "silent") as silent:
            _, kind, _ = silent.open((1, 1))
            self.assertEqual(kind, OPENED)
            for number in range(3):
                self.assertLess(duration_s(lambda at=number: add(self.master, f"object{at}")), 1)
            self.assertEqual(self.master.metrics()["muster_active_slaves"], 1)

    def test_only_an_active_slave_may_hand_a_registration_on(self):
        with Peer(self.master, "stranger") as stranger:
            with self.assertRaises(Muster.RegistrationRefused) as refused:
                stranger.remote.setAdapter("smuggled", "", b"\x00\x00")
            self.assertIn("active slave", refused.exception.reason)

    def test_a_stranger_does_not_end_a_replica(self):
        for replica in (self.master, self.slave):
            with Peer(replica, "stranger") as stranger:
                stranger.remote.shutdown()
                stranger.remote.ice_ping()
            self.assertTrue(replica.is_running())
        add(self.master, "alive")
        self.assertEqual(names(self.slave), {"alive"})


if __name__ == "__main__":
    unittest.main()
