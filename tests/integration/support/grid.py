"""Real replicas for the integration tests: processes of the built `muster` on loopback, with databases of their own.

A test starts what it needs, does real harm to it (kill -9, SIGSTOP), and waits for conditions, never for time.
"""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

MUSTER = os.environ["MUSTER_BINARY"]
INSTANCE = "TestGrid"

# Generous, because sanitizers and a busy machine slow everything down. A test that passes never waits so long.
PATIENCE_S = float(os.environ.get("MUSTER_TEST_PATIENCE_S", "60"))


def wait_until(condition, what, timeout_s=PATIENCE_S):
    """Asks until `condition()` gives something true, and gives that. Exceptions count as "not yet"."""
    deadline = time.monotonic() + timeout_s
    last = None
    while True:
        try:
            value = condition()
            if value:
                return value
            last = value
        except Exception as failed:  # pylint: disable=broad-except
            last = failed
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout_s} s in vain until {what}; last: {last!r}")
        time.sleep(0.02)  # between two questions; the condition decides


_given_ports = set()


def free_port():
    """A port that nobody listens on, never given twice by this process."""
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        if port not in _given_ports:
            _given_ports.add(port)
            return port


class Replica:
    """One replica: its configuration, its database, and its process while there is one."""

    def __init__(self, grid, name, properties=None):
        self.grid = grid
        self.name = name
        self.directory = os.path.join(grid.directory, name)
        os.makedirs(self.directory, exist_ok=True)
        self.database = os.path.join(self.directory, "db")
        self.client_port = free_port()
        self.server_port = free_port()
        self.internal_port = free_port()
        self.http_port = free_port()
        self.protocol = grid.protocol
        self.properties = dict(properties or {})
        self.log_file = os.path.join(self.directory, "log")
        self.process = None
        self.replica_name = name

    def endpoint(self, port):
        return f"{self.protocol} -h 127.0.0.1 -p {port}"

    @property
    def client_endpoint(self):
        return self.endpoint(self.client_port)

    def configuration(self, **more):
        settings = {
            "IceGrid.InstanceName": self.grid.instance,
            "IceGrid.Registry.Client.Endpoints": self.client_endpoint,
            "IceGrid.Registry.Server.Endpoints": self.endpoint(self.server_port),
            "IceGrid.Registry.Internal.Endpoints": self.endpoint(self.internal_port),
            "IceGrid.Registry.LMDB.Path": self.database,
            "IceGrid.Registry.DynamicRegistration": "1",
            "IceGrid.Registry.AdminPermissionsVerifier": f"{self.grid.instance}/NullPermissionsVerifier",
            "IceGrid.Registry.PermissionsVerifier": f"{self.grid.instance}/NullPermissionsVerifier",
            "IceGrid.Registry.Discovery.Enabled": "0",
            "Muster.Registry.Http.Endpoint": f"127.0.0.1:{self.http_port}",
        }
        if self.replica_name != "Master":
            settings["IceGrid.Registry.ReplicaName"] = self.replica_name
            settings["Ice.Default.Locator"] = self.grid.locator
        settings.update(self.grid.properties)
        settings.update(self.properties)
        settings.update(more)
        return {name: value for name, value in settings.items() if value is not None}

    def write_configuration(self, settings):
        path = os.path.join(self.directory, "registry.conf")
        with open(path, "w", encoding="utf-8") as file:
            for name, value in settings.items():
                file.write(f"{name}={value}\n")
        return path

    def start(self, *options, wait=True, env=None, prefix=(), **more):
        """Starts the process; with `wait`, returns when it serves."""
        assert self.process is None, f"{self.name} runs already"
        path = self.write_configuration(self.configuration(**more))
        with open(self.log_file, "ab") as log:
            self.process = subprocess.Popen(
                [*prefix, MUSTER, "registry", f"--Ice.Config={path}", *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.directory,
                env={**os.environ, **(env or {})})
        if wait:
            self.wait_serving()
        return self

    def health(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.http_port, timeout=5)
        try:
            connection.request("GET", "/health")
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def metrics(self):
        """Prometheus' text as {name{labels}: value}."""
        connection = http.client.HTTPConnection("127.0.0.1", self.http_port, timeout=5)
        try:
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
        finally:
            connection.close()
        lines = (line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#"))
        return {name: float(value) for name, value in lines}

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def _must_run(self):
        if not self.is_running():
            code = None if self.process is None else self.process.returncode
            raise AssertionError(f"{self.name} has ended (exit code {code}):\n{self.log()[-4000:]}")

    def wait_phase(self, *phases, timeout_s=PATIENCE_S):
        """Waits until the replica says that it is in one of these phases."""
        def reached():
            self._must_run()
            return self.health()["phase"] in phases
        wait_until(reached, f"{self.name} is {' or '.join(phases)}:\n{self.log()[-2000:]}", timeout_s)
        return self

    def wait_serving(self, timeout_s=PATIENCE_S):
        """A master that takes changes, or an active slave; either answers on its client endpoint."""
        deadline = time.monotonic() + timeout_s
        while True:
            if not self.is_running():
                self._must_run()
            try:
                if self.health()["phase"] in ("serving", "active") and self.answers():
                    return self
            except (OSError, ValueError, http.client.HTTPException):
                pass
            if time.monotonic() > deadline:
                raise AssertionError(f"{self.name} does not serve:\n{self.log()[-4000:]}")
            time.sleep(0.02)  # between two questions

    def answers(self):
        """Whether the client endpoint takes connections."""
        try:
            with socket.create_connection(("127.0.0.1", self.client_port), timeout=1):
                return True
        except OSError:
            return False

    def log(self):
        with open(self.log_file, encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait_log(self, text, timeout_s=PATIENCE_S):
        wait_until(lambda: text in self.log(), f"the log of {self.name} says {text!r}:\n{self.log()[-3000:]}", timeout_s)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        """kill -9: no last word."""
        self.process.kill()
        self.process.wait()
        self.process = None

    def suspend(self):
        self.signal(signal.SIGSTOP)

    def resume(self):
        self.signal(signal.SIGCONT)

    def stop(self):
        """SIGTERM, and the exit code of an end in good order."""
        self.process.terminate()
        return self.wait_end()

    def wait_end(self, timeout_s=PATIENCE_S):
        try:
            code = self.process.wait(timeout_s)
        except subprocess.TimeoutExpired as late:
            raise AssertionError(f"{self.name} does not end:\n{self.log()[-4000:]}") from late
        self.process = None
        return code


class Grid:
    """Replicas of one instance, in a directory that goes with them."""

    def __init__(self, instance=INSTANCE, protocol="tcp", properties=None):
        self.instance = instance
        self.protocol = protocol
        self.properties = dict(properties or {})
        self.directory = tempfile.mkdtemp(prefix="muster-grid-")
        self.replicas = []

    def add(self, name, **properties):
        replica = Replica(self, name, {key.replace("__", "."): value for key, value in properties.items()})
        self.replicas.append(replica)
        return replica

    @property
    def locator(self):
        """The locator with the client endpoints of all replicas that were added so far."""
        endpoints = ":".join(replica.client_endpoint for replica in self.replicas)
        return f"{self.instance}/Locator:{endpoints}"

    def locator_of(self, *replicas):
        return f"{self.instance}/Locator:" + ":".join(replica.client_endpoint for replica in replicas)

    def close(self):
        for replica in self.replicas:
            if replica.process is not None:
                replica.process.kill()
                replica.process.wait()
                replica.process = None
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
