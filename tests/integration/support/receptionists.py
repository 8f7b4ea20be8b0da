"""Real nodes for the integration tests: processes of `muster receptionist --json`, driven by their commands.

A test gives commands, does real harm to processes and the network between them, and waits for events, never for time.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from support.grid import MUSTER, PATIENCE_S, free_port

# Silence is found and forgotten quickly, so that tests of it are short. What a test waits for comes anyway, only later,
# where a busy machine makes such times too short.
QUICK = {
    "cluster.probe-interval": "100ms",
    "cluster.probe-timeout": "100ms",
    "cluster.suspicion-time": "100ms",
    "cluster.heal-interval": "300ms",
    "cluster.join-retry-min": "100ms",
    "cluster.join-retry-max": "500ms",
    "cluster.receptionist.gossip-interval": "200ms",
}


class Node:
    """One node: its settings, and its process while there is one. Events are kept in their order."""

    def __init__(self, cluster, name, port=None, properties=None):
        self.cluster = cluster
        self.name = name
        self.port = port or free_port()
        self.host = "127.0.0.1"
        self.prefix = []  # what runs the program
        self.properties = dict(properties or {})
        self.errors_file = os.path.join(cluster.directory, f"{name}-{self.port}.err")
        self.process = None
        self.lines_told = 0
        self._events = []
        self._changed = threading.Condition()
        self._reader = None

    @property
    def endpoint(self):
        return f"{self.cluster.protocol} -h {self.host} -p {self.port}"

    def start(self, *options, seeds=None, wait=True, **more):
        """Starts the process; with `wait`, returns when it has joined."""
        assert self.process is None, f"{self.name} runs already"
        seeds = [self.cluster.nodes[0]] if seeds is None else seeds
        settings = {**self.cluster.properties, **self.properties, **more}
        command = ["--json", "--name", self.name, "--listen", self.endpoint]
        for seed in seeds:
            command += ["--seed", seed if isinstance(seed, str) else seed.endpoint]
        command += [f"--{name}={value}" for name, value in settings.items() if value is not None]
        self.run([*command, *options])
        if wait:
            self.wait_event("joined")
        return self

    def run(self, arguments):
        """Starts the process with these arguments, and reads what it says."""
        with self._changed:
            self._events = []
        self.lines_told = 0
        with open(self.errors_file, "ab") as errors:
            self.process = subprocess.Popen([*self.prefix, MUSTER, "receptionist", *arguments], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=errors, cwd=self.cluster.directory)
        self._reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self._reader.start()

    def _read(self, lines):
        for line in lines:
            event = json.loads(line)
            with self._changed:
                self._events.append(event)
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    def errors(self):
        with open(self.errors_file, encoding="utf-8", errors="replace") as file:
            return file.read()

    def tell(self, *lines):
        self.lines_told += len(lines)
        self.process.stdin.write("".join(line + "\n" for line in lines).encode())
        self.process.stdin.flush()

    def events(self, kind=None):
        with self._changed:
            return [event for event in self._events if kind is None or event["event"] == kind]

    def mark(self):
        """Where the events end now, to wait for what comes after."""
        with self._changed:
            return len(self._events)

    def wait_event(self, kind, condition=lambda event: True, since=0, timeout_s=PATIENCE_S):
        """The first event of this kind (after `since`) for which the condition holds."""
        deadline = time.monotonic() + timeout_s
        seen = since
        with self._changed:
            while True:
                for event in self._events[seen:]:
                    if event["event"] == kind and condition(event):
                        return event
                seen = max(since, len(self._events))
                has_ended = not self._reader.is_alive()
                if has_ended or time.monotonic() > deadline or not self._changed.wait(deadline - time.monotonic()):
                    raise AssertionError(f"{self.name} did not show such a {kind} "
                                         f"{'before its end' if has_ended else f'within {timeout_s} s'}; last events: "
                                         f"{self._events[-8:]}; standard error: {self.errors()[-2000:]}")

    def ask(self, command, kind, timeout_s=PATIENCE_S):
        """Gives a command and the first event of this kind that comes after it."""
        since = self.mark()
        self.tell(command)
        return self.wait_event(kind, since=since, timeout_s=timeout_s)

    def register(self, key, name):
        return self.ask(f"register {key} {name}", "registered")

    def listing(self, key):
        since = self.mark()
        self.tell(f"find {key}")
        return self.wait_event("listing", lambda event: event["answers"] == "find" and event["key"] == key, since=since)

    def follow(self, key):
        """Subscribes, once for each start."""
        self.ask(f"subscribe {key}", "listing")

    def wait_listing(self, key, refs, field="refs", since=0, timeout_s=PATIENCE_S):
        """Waits until a listing that this node was sent has these refs (`node/path`), and gives it."""
        return self.wait_event("listing", lambda event: event["answers"] == "subscribe" and event["key"] == key
                               and shown(event[field]) == sorted(refs), since=since, timeout_s=timeout_s)

    def wait_member(self, name, status, since=0):
        return self.wait_event("member", lambda event: event["node"] == name and event["status"] == status, since=since)

    def kill(self):
        """kill -9: no last word."""
        self.process.kill()
        self._forget()

    def suspend(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def wait_end(self, timeout_s=PATIENCE_S):
        """The exit code of a process that ends by itself. Its events stay."""
        try:
            code = self.process.wait(timeout_s)
        except subprocess.TimeoutExpired as late:
            raise AssertionError(f"{self.name} does not end; last events: {self.events()[-8:]}") from late
        self._forget()
        return code

    def quit(self):
        self.tell("quit")
        return self.wait_end()

    def _forget(self):
        self.process.wait()
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self._reader.join(PATIENCE_S)
        self.process.stdout.close()
        self.process = None


class Cluster:
    """Nodes of one cluster, in a directory that goes with them."""

    def __init__(self, protocol="tcp", properties=None):
        self.protocol = protocol
        self.properties = {**QUICK, **(properties or {})}
        self.directory = tempfile.mkdtemp(prefix="muster-cluster-")
        self.nodes = []

    def add(self, name, port=None, **properties):
        node = Node(self, name, port, {key.replace("__", "."): value for key, value in properties.items()})
        self.nodes.append(node)
        return node

    def start(self, *names):
        """Adds and starts these nodes; returns when all have met."""
        nodes = [self.add(name) for name in names]
        for node in nodes:
            node.start()
        wait_met(*nodes)
        return nodes

    def close(self):
        for node in self.nodes:
            if node.process is not None:
                node.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def shown(refs):
    return sorted(ref["node"] + ref["path"] for ref in refs)


def members_of(node):
    """The names of the members that this node can reach, itself among them."""
    members = node.ask("members", "members")["members"]
    return sorted(member["node"] for member in members if member["status"] == "up")


def wait_met(*nodes, timeout_s=PATIENCE_S):
    """Waits until each of these has all of them, and nobody else, as members that can be reached."""
    names = sorted(node.name for node in nodes)
    deadline = time.monotonic() + timeout_s
    while any(members_of(node) != names for node in nodes):
        assert time.monotonic() < deadline, f"{names} have not met: {[members_of(node) for node in nodes]}"
        time.sleep(0.02)  # between two questions


def wait_equal(key, nodes, refs, all_refs=None, timeout_s=PATIENCE_S):
    """Waits until all nodes give the same listing for the key, to the incarnation and in one order: these refs, and
    nothing more that cannot be reached unless `all_refs` says so."""
    all_refs = refs if all_refs is None else all_refs
    deadline = time.monotonic() + timeout_s
    while True:
        listings = [node.listing(key) for node in nodes]
        if all(shown(one[field]) == sorted(wanted) and one[field] == listings[0][field]
               for one in listings for field, wanted in (("refs", refs), ("all_refs", all_refs))):
            return
        assert time.monotonic() < deadline, f"listings of {key} are not {refs} of {all_refs}: {listings}"
        time.sleep(0.02)  # between two questions
