"""A C++ program with the stock run time (tests/integration/clients/hello.cpp), as server and as client."""

import contextlib
import os
import subprocess
import unittest

from support.grid import PATIENCE_S, Grid
from support.ice_client import communicator
from support.objects import administration, wait_active_slaves
from test_locate import hello_server, ping

HELLO = os.path.join(os.environ["MUSTER_CLIENTS"], "hello_client")


class Program:
    """One run of it, spoken to line by line."""

    def __init__(self, locator, *arguments, **properties):
        self.process = subprocess.Popen(
            [HELLO, f"--Ice.Default.Locator={locator}",
             *(f"--{name.replace('__', '.')}={value}" for name, value in properties.items()), *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def line(self):
        return self.process.stdout.readline().strip()

    def say(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def end(self):
        self.process.terminate()
        self.process.communicate(timeout=PATIENCE_S)


@contextlib.contextmanager
def server(locator, adapter_id, group=""):
    program = Program(locator, "serve", "hello", Hello__Endpoints="tcp -h 127.0.0.1", Hello__AdapterId=adapter_id,
                      Hello__ReplicaGroupId=group)
    try:
        assert program.line() == "ready", "the adapter was not activated"
        yield program
    finally:
        program.end()


class Pinger:
    """A client that locates anew for every request."""

    def __init__(self, locator, proxy):
        self.program = Program(locator, "ping", proxy)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.end()

    def begin(self, count):
        self.program.say(count)

    def outcome(self):
        succeeded, failed, slowest_ms = self.program.line().split()
        return int(succeeded), int(failed), int(slowest_ms)

    def ping(self, count):
        self.begin(count)
        return self.outcome()[:2]


class StockCppTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.master = self.grid.add("Master").start()
        self.slave = self.grid.add("slave1").start()
        wait_active_slaves(self.master, 1)

    def test_it_registers_through_the_slave_and_is_found_through_either_by_both_languages(self):
        with server(self.grid.locator_of(self.slave), "HelloAdapter", "HelloGroup"):
            with administration(self.master) as (made, admin):
                admin.addObject(made.stringToProxy("hello@HelloGroup"))
            for replica in (self.master, self.slave):
                for proxy in ("hello@HelloAdapter", "hello@HelloGroup", "hello"):
                    with Pinger(self.grid.locator_of(replica), proxy) as client:
                        self.assertEqual(client.ping(10), (10, 0), (replica.name, proxy))
                    with communicator(self.grid.locator_of(replica)) as made:
                        self.assertTrue(ping(made, proxy))

    def test_it_finds_a_python_server(self):
        with hello_server(self.grid.locator), Pinger(self.grid.locator, "hello@HelloAdapter") as client:
            self.assertEqual(client.ping(10), (10, 0))

    def test_kill_9_of_the_master_under_a_resolving_client_fails_no_request(self):
        with server(self.grid.locator, "HelloAdapter"), \
                Pinger(self.grid.locator_of(self.master, self.slave), "hello@HelloAdapter") as client:
            self.assertEqual(client.ping(10), (10, 0))
            client.begin(3000)
            self.master.kill()
            succeeded, failed, slowest_ms = client.outcome()
            self.assertEqual((succeeded, failed), (3000, 0))
            # The bench measures the gap; here it is only not a time-out.
            self.assertLess(slowest_ms, 1000)
            self.master.start()
            wait_active_slaves(self.master, 1)
            with server(self.grid.locator_of(self.slave), "AnotherAdapter"), \
                    Pinger(self.grid.locator_of(self.master), "hello@AnotherAdapter") as other:
                self.assertEqual(other.ping(10), (10, 0))
            self.assertEqual(client.ping(100), (100, 0))

    def test_a_server_that_ends_takes_its_adapter_back(self):
        with server(self.grid.locator, "HelloAdapter"):
            pass
        with Pinger(self.grid.locator_of(self.slave), "hello@HelloAdapter") as client:
            self.assertEqual(client.ping(1), (0, 1))


if __name__ == "__main__":
    unittest.main()
