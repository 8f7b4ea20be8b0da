"""`./dev run` and `./dev run --cluster` as somebody meets them first: in a terminal, on loopback, with the programs of the
build that is tested."""

import contextlib
import os
import pty
import random
import re
import signal
import socket
import subprocess
import tempfile
import unittest

import Ice
from support.grid import MUSTER, PATIENCE_S, wait_until
from support.ice_client import admin_session, communicator, locator_of
from support.program import Program

SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENVIRONMENT = {**os.environ, "MUSTER_BIN": os.path.dirname(MUSTER)}


def free_ports(count):
    """The first of so many ports in a row that nobody listens on; none is given to those who ask for any port."""
    while True:
        first = random.randrange(20000, 32000)
        with contextlib.suppress(OSError), contextlib.ExitStack() as held:
            for port in range(first, first + count):
                held.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def dev(*arguments, **environment):
    return subprocess.run([os.path.join(SOURCES, "dev"), *arguments], env={**ENVIRONMENT, **environment},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


class Run(Program):
    """`./dev run` with these options in a terminal of its own; returns when it has shown the three things to try."""

    def __init__(self, *options):
        keyboard, terminal = pty.openpty()
        # Where this test runs in the background SIGINT is ignored, which a shell cannot undo.
        super().__init__("env", "--default-signal=INT", os.path.join(SOURCES, "dev"), "run", *options, stdin=terminal,
                         start_new_session=True, env=ENVIRONMENT)
        os.close(terminal)
        self.process.stdin = os.fdopen(keyboard, "w", buffering=1)

    def __exit__(self, *what):
        if self.process.poll() is None:  # It stops what it has started.
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE_S)
        super().__exit__(*what)

    def wait_ready(self):
        self.wait_line(r"^  3\. ")
        return self

    def things_to_try(self):
        return [found[1] for line in self.lines if (found := re.match(r"  (\d)\. ", line))]

    def locators(self):
        return [line.removeprefix("Ice.Default.Locator=") for line in self.lines if "Ice.Default.Locator=" in line[:20]]

    def wait_error(self, text):
        wait_until(lambda: any(text in line for line in self.errors), f"./dev run says {text!r}")

    def press_ctrl_c(self):
        """What a terminal does: the signal goes to all that run in it. Returns the exit code."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.wait_end()


class DevTest(unittest.TestCase):
    def setUp(self):
        self.data = self.enterContext(tempfile.TemporaryDirectory(prefix="muster-dev-"))

    def read(self, *path):
        with open(os.path.join(self.data, *path), encoding="utf-8") as file:
            return file.read()


class RunTest(DevTest):
    def add(self, locator, name):
        with communicator(locator) as made, admin_session(made, "MusterGrid") as admin:
            admin.addObjectWithType(made.stringToProxy(f"{name}:tcp -h 127.0.0.1 -p 10000"), "::Test::Object")

    def find(self, port, name):
        with communicator(f"MusterGrid/Locator:tcp -h 127.0.0.1 -p {port}") as client:
            return locator_of(client).findObjectById(Ice.Identity(name=name))

    def test_two_replicas_answer_and_end_at_ctrl_c_and_the_next_run_has_their_data(self):
        first = free_ports(2)
        locator = f"MusterGrid/Locator:tcp -h 127.0.0.1 -p {first}:tcp -h 127.0.0.1 -p {first + 1}"
        options = ("--data", self.data, "--port", str(first))
        with Run(*options) as run:
            run.wait_ready()
            self.assertEqual(run.locators(), [locator])
            self.assertEqual(run.things_to_try(), ["1", "2", "3"])
            self.add(locator, "kept")
            for port in (first, first + 1):
                self.assertIsNotNone(self.find(port, "kept"))
            self.assertEqual(run.press_ctrl_c(), 130)
        for port, name in ((first, "master"), (first + 1, "slave-1")):
            self.assertFalse(answers(port))
            self.assertIn("event=stopped", self.read(name, "log").splitlines()[-1])
        with Run(*options) as run:
            run.wait_ready()
            for port in (first, first + 1):
                self.assertIsNotNone(self.find(port, "kept"))
            self.assertEqual(run.press_ctrl_c(), 130)

    def test_it_goes_on_when_the_master_is_killed_as_it_proposes(self):
        first = free_ports(2)
        with Run("--data", self.data, "--port", str(first)) as run:
            run.wait_ready()
            self.add(run.locators()[0], "kept")
            os.kill(int(run.wait_line(r"kill -9 (\d+)")[1]), signal.SIGKILL)
            run.wait_error("master has ended (exit code 137)")
            self.assertIsNotNone(self.find(first + 1, "kept"))
            self.assertEqual(run.press_ctrl_c(), 130)

    def test_one_replica_is_a_master_of_which_no_slave_is_spoken(self):
        first = free_ports(1)
        with Run("--replicas", "1", "--data", self.data, "--port", str(first)) as run:
            run.wait_ready()
            self.assertEqual(run.locators(), [f"MusterGrid/Locator:tcp -h 127.0.0.1 -p {first}"])
            self.assertEqual(run.things_to_try(), ["1", "2", "3"])
            self.assertFalse([line for line in run.lines if "slave" in line or "kill" in line])
            self.assertEqual(run.press_ctrl_c(), 130)
        self.assertFalse(answers(first))


class ClusterTest(DevTest):
    def test_actors_come_and_go_on_three_nodes_until_ctrl_c(self):
        first = free_ports(3)
        with Run("--cluster", "--data", self.data, "--port", str(first)) as run:
            run.wait_ready()
            self.assertEqual(run.things_to_try(), ["1", "2", "3"])
            for node in "abc":
                run.wait_line(rf"^\[{node}\] .* refs=\[a/user/till-a\S* b/user/till-b\S* c/user/till-c\S*\] ")
                run.wait_line(rf"^\[{node}\] .* refs=\[a/user/till-a\S* c/user/till-c\S*\] ")
            before = len(run.lines)
            run.say("b register shop till-9")
            run.wait_line(r"^\[a\] .* refs=\[a/user/till-a\S* b/user/till-9\S* c/user/till-c\S*\] ", before)
            os.kill(int(run.wait_line(r"kill -9 (\d+)")[1]), signal.SIGKILL)
            run.wait_line(r"^\[a\] .* refs=\[a/user/till-a\S* b/user/till-9\S*\] ", before)
            run.wait_error("c has ended (exit code 137)")
            run.say("nobody find shop")
            run.wait_error("type the name of a node")
            self.assertEqual(run.press_ctrl_c(), 130)
        for port in range(first, first + 3):
            self.assertFalse(answers(port))


class RefusalTest(DevTest):
    def assert_one_line(self, done, code, *words):
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(os.listdir(self.data), [])

    def test_a_wrong_option_is_one_line_that_names_it(self):
        for options in (["--replicas", "0"], ["--replicas", "10"], ["--replicas", "two"], ["--replicas"],
                        ["--port", "65001"], ["--port", ""], ["--data", ""], ["--nodes", "3"],
                        ["--cluster", "--nodes", "1"], ["--cluster", "--replicas", "2"], ["--wrong"]):
            with self.subTest(options=options):
                named = options[-2] if len(options) > 1 and not options[-1].startswith("--") else options[-1]
                self.assert_one_line(dev("run", "--data", self.data, *options), 2, named, "./dev run --help")

    def test_a_port_in_use_is_named_before_anything_starts(self):
        for options in ([], ["--cluster"]):
            with socket.socket() as held:
                first = free_ports(2)
                held.bind(("127.0.0.1", first + 1))
                held.listen()
                self.assert_one_line(dev("run", *options, "--data", self.data, "--port", str(first)), 1,
                                     f"port {first + 1} on 127.0.0.1 is in use", "--port P")

    def test_a_folder_without_the_programs_is_named(self):
        first = str(free_ports(3))
        for options in ([], ["--cluster"]):
            done = dev("run", *options, "--data", self.data, "--port", first, MUSTER_BIN=self.data)
            self.assert_one_line(done, 1, f"no program muster in the folder {self.data}", "MUSTER_BIN")


class HelpTest(unittest.TestCase):
    def test_each_verb_that_is_listed_explains_itself(self):
        verbs = re.findall(r"^  ([a-z]+) ", dev("help").stdout, re.MULTILINE)
        self.assertIn("run", verbs)
        for verb in verbs:
            done = dev(verb, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), verb)
            self.assertTrue(done.stdout.startswith(f"./dev {verb}"), done.stdout)

    def test_an_unknown_verb_is_wrong_usage(self):
        done = dev("walk")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('there is no verb "walk"', done.stderr)


if __name__ == "__main__":
    unittest.main()
