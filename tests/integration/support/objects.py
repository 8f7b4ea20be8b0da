"""What most tests do to a grid: add objects, as few or as many at a time as they say, and ask who knows which."""

import contextlib
import threading
import time

import Ice
from support.grid import PATIENCE_S, wait_until
from support.ice_client import admin_session, communicator, locator_of

TYPE = "::Test::Object"
IN_FLIGHT = 16


def target(made, name):
    """A proxy of this identity; nobody listens at its endpoint."""
    return made.stringToProxy("x:tcp -h 127.0.0.1 -p 10000").ice_identity(Ice.Identity(name=name))


def add(replica, name):
    with administration(replica) as (made, admin):
        admin.addObjectWithType(target(made, name), TYPE)


def names(replica):
    """The names of the test's objects that this replica knows."""
    with administration(replica) as (_, admin):
        return {info.proxy.ice_getIdentity().name for info in admin.getObjectInfosByType(TYPE)}


def locate(replica, name):
    with communicator(replica.grid.locator_of(replica)) as made:
        return locator_of(made).findObjectById(Ice.Identity(name=name))


@contextlib.contextmanager
def administration(replica, **properties):
    """A communicator and the Admin of a session with this replica; a lost connection is an exception at once."""
    properties = {"Ice__RetryIntervals": "-1", "Ice__MessageSizeMax": "0", **properties}
    with communicator(replica.grid.locator_of(replica), **properties) as made, \
            admin_session(made, replica.grid.instance, replica.replica_name) as admin:
        yield made, admin


def duration_s(work):
    begun = time.monotonic()
    work()
    return time.monotonic() - begun


def wait_active_slaves(master, count):
    wait_until(lambda: master.metrics()["muster_active_slaves"] == count, f"{count} slaves are active")


class Stream:
    """Adds objects, many at a time, until told to stop or until a call fails; knows which calls have returned."""

    def __init__(self, replica, prefix):
        self.replica = replica
        self.prefix = prefix
        self.begun = set()
        self.acknowledged = set()
        self.lock = threading.Lock()
        self.over = threading.Event()
        self.room = threading.Semaphore(IN_FLIGHT)
        self.thread = threading.Thread(target=self._run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join(PATIENCE_S)
        assert not self.thread.is_alive(), "a call neither returned nor failed"

    def acknowledged_now(self):
        with self.lock:
            return set(self.acknowledged)

    def wait_acknowledged(self, count):
        wait_until(lambda: len(self.acknowledged_now()) >= count, f"{count} objects of {self.prefix} are acknowledged")

    def _run(self):
        with contextlib.suppress(Ice.LocalException), administration(self.replica) as (made, admin):
            while not self.over.is_set():
                self.room.acquire()
                self._begin(made, admin)
            for _ in range(IN_FLIGHT):
                self.room.acquire()

    def _begin(self, made, admin):
        name = f"{self.prefix}-{len(self.begun)}"
        self.begun.add(name)

        def done(future):
            if future.exception(0) is None:
                with self.lock:
                    self.acknowledged.add(name)
            else:
                self.over.set()
            self.room.release()

        try:
            admin.addObjectWithTypeAsync(target(made, name), TYPE).add_done_callback(done)
        except Ice.Exception:
            self.over.set()
            self.room.release()
