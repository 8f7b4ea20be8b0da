"""What a monitoring system sees: `GET /health` and `GET /metrics`."""

import http.client
import re
import socket
import unittest

from support.grid import Grid, wait_until
from support.ice_client import communicator, locator_of
from support.objects import add, locate, wait_active_slaves
from test_locate import hello_server

SAMPLE = re.compile(r'^[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?[0-9.e+-]+$')


def ask(replica, path, method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", replica.http_port, timeout=10)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


class HttpTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.master = self.grid.add("Master")

    def test_health_is_200_for_a_replica_that_serves_and_503_for_one_that_does_not(self):
        slave = self.grid.add("slave1").start(wait=False)
        slave.wait_phase("searching")
        self.assertEqual(ask(slave, "/health")[0], 503)
        self.master.start()
        slave.wait_serving()
        for replica in (self.master, slave):
            status, _ = ask(replica, "/health")
            self.assertEqual(status, 200)
            self.assertEqual(replica.health()["master"], "Master")
        self.assertEqual((self.master.health()["role"], slave.health()["role"]), ("master", "slave"))
        # A slave serves its copy without its master.
        self.master.kill()
        wait_until(lambda: slave.health()["master"] is None, "the slave has noticed")
        self.assertEqual(ask(slave, "/health")[0], 200)

    def test_metrics_are_in_the_format_of_prometheus_and_count_what_happens(self):
        self.master.start()
        slave = self.grid.add("slave1").start()
        wait_active_slaves(self.master, 1)
        before = self.master.metrics()
        add(self.master, "counted")
        for _ in range(3):
            locate(self.master, "counted")
        with hello_server(self.grid.locator_of(self.master)):
            after = self.master.metrics()

        def grown(name):
            return sum(after[key] - before.get(key, 0) for key in after if key.split("{")[0] == name)

        self.assertEqual(grown("muster_objects"), 1)
        self.assertEqual(grown("muster_adapters"), 1)
        self.assertEqual(grown("muster_changes_committed_total"), 2)
        self.assertEqual(grown("muster_registrations_total"), 1)
        self.assertGreaterEqual(grown("muster_locates_total"), 3)
        self.assertEqual(after["muster_serving"], 1)
        self.assertEqual(after['muster_slave_active{slave="slave1"}'], 1)
        wait_until(lambda: slave.metrics()["muster_serial"] >= after["muster_serial"], "the slave has it all")

        _, text = ask(self.master, "/metrics")
        for line in text.splitlines():
            if not line.startswith("# "):
                self.assertRegex(line, SAMPLE)
        described = set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))
        samples = {line.split("{")[0].split(" ")[0] for line in text.splitlines() if not line.startswith("#")}
        self.assertEqual({re.sub(r"_(bucket|sum|count)$", "", name) if name not in described else name
                          for name in samples} - described, set())

    def test_what_is_not_there_or_not_allowed_is_said(self):
        self.master.start()
        self.assertEqual(ask(self.master, "/secret")[0], 404)
        self.assertEqual(ask(self.master, "/metrics", "POST")[0], 405)

    def test_connections_that_say_nothing_or_nonsense_keep_nobody_from_an_answer(self):
        self.master.start()
        silent = [socket.create_connection(("127.0.0.1", self.master.http_port)) for _ in range(8)]
        try:
            silent[0].sendall(b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 100000)
            silent[1].sendall(bytes(range(256)) * 10)
            self.assertEqual(ask(self.master, "/health")[0], 200)
        finally:
            for connection in silent:
                connection.close()
        with communicator(self.grid.locator) as made:
            locator_of(made).ice_ping()

    def test_it_listens_on_loopback_unless_told_otherwise(self):
        port = self.master.http_port
        self.master.start(**{"Muster.Registry.Http.Endpoint": str(port)})
        with open("/proc/net/tcp", encoding="ascii") as file:
            listening = {line.split()[1] for line in file if line.split()[3] == "0A"}
        self.assertIn(f"0100007F:{port:04X}", listening)
        self.assertNotIn(f"00000000:{port:04X}", listening)


if __name__ == "__main__":
    unittest.main()
