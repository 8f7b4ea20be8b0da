"""The examples, as their readers run them: several processes on loopback."""

import os
import unittest

from support.program import Program
from support.receptionists import Cluster

PROGRAMS = os.environ["MUSTER_CLIENTS"]


class ExampleTest(unittest.TestCase):
    def start(self, example, *words, name, seed=None):
        """A node, once it listens; `address` is where."""
        command = [os.path.join(PROGRAMS, f"example-{example}"), *words, "--name", name]
        program = self.enterContext(Program(*command, *(["--seed", seed] if seed else [])))
        program.address = program.wait_line(f"^{name} listens: (.+)$")[1]
        return program

    def end(self, *programs):
        for program in programs:
            program.end_input()
        for program in programs:
            self.assertEqual(program.wait_end(), 0, program.lines)


class HelloTest(ExampleTest):
    def test_a_consumer_finds_the_service_of_another_node_and_is_answered(self):
        anna = self.start("hello", "offer", name="anna")
        bert = self.start("hello", "ask", name="bert", seed=anna.address)
        bert.wait_line("^an answer: Hello bert, I am anna$")
        self.assertEqual(bert.wait_end(), 0)
        anna.wait_line("^bert says hello$")
        self.end(anna)

    def test_a_consumer_that_comes_first_waits_for_the_service(self):
        bert = self.start("hello", "ask", name="bert")
        bert.wait_line("^found at once: 0 greeters$")
        bert.wait_line("^a listing: 0 greeters$")
        anna = self.start("hello", "offer", name="anna", seed=bert.address)
        bert.wait_line("^a listing: 1 greeters$")
        self.assertEqual(bert.wait_end(), 0)
        self.end(anna)


class WorkersTest(ExampleTest):
    def test_jobs_are_spread_over_the_workers_of_all_nodes(self):
        anna = self.start("workers", "work", name="anna")
        others = [self.start("workers", "work", name=name, seed=anna.address) for name in ("bert", "carl")]
        boss = self.start("workers", "boss", "3", "30", name="dora", seed=anna.address)
        boss.wait_line("^3 of 3 workers are there$")
        boss.wait_line("^all jobs are done, by 3 workers$")
        self.assertEqual(boss.wait_end(), 0)
        results = sorted(line.split(" by ")[0] for line in boss.lines if " by " in line and line.startswith("job"))
        self.assertEqual(results, sorted(f"job {n}: {n * n}" for n in range(1, 31)))
        self.end(anna, *others)

    def test_the_jobs_of_a_lost_worker_are_done_by_others(self):
        anna = self.start("workers", "work", name="anna")
        bert = self.start("workers", "work", name="bert", seed=anna.address)
        # Many enough for the loss to come in the midst of them.
        boss = self.start("workers", "boss", "2", "5000", name="carl", seed=anna.address)
        boss.wait_line(" by bert$")
        bert.kill()
        boss.wait_line("^all jobs are done, by 2 workers$")
        self.assertEqual(boss.wait_end(), 0)
        done = {line.split(":")[0] for line in boss.lines if " by " in line and line.startswith("job")}
        self.assertEqual(len(done), 5000)
        self.end(anna)


class CoordinatorTest(ExampleTest):
    def test_another_node_takes_over_when_the_coordinator_is_killed(self):
        anna = self.start("coordinator", name="anna")
        bert = self.start("coordinator", name="bert", seed=anna.address)
        carl = self.start("coordinator", name="carl", seed=anna.address)
        anna.wait_line("^anna coordinates$")
        for each in (bert, carl):
            each.wait_line("^ticket .* from anna$")
        # A node that has met nobody yet is the first of its own list: only what comes from now on counts.
        seen = {each: len(each.lines) for each in (bert, carl)}
        anna.kill()
        bert.wait_line("^bert coordinates$", after=seen[bert])
        for each in (bert, carl):
            first = int(each.wait_line("^ticket ([0-9]+) from bert$", after=seen[each])[1])
            before = [int(line.split()[1]) for line in each.lines if line.endswith(" from anna")]
            self.assertGreater(first, max(before), "a successor goes on where the one before stopped")
        self.end(bert, carl)

    def test_a_leader_that_stops_by_itself_is_followed_at_once(self):
        anna = self.start("coordinator", name="anna")
        bert = self.start("coordinator", name="bert", seed=anna.address)
        bert.wait_line("^ticket .* from anna$")
        seen = len(bert.lines)
        self.end(anna)
        bert.wait_line("^ticket .* from bert$", after=seen)
        self.end(bert)


class OperatorTest(ExampleTest):
    """Somebody looks into the cluster of the examples, whose messages the console does not know."""

    def test_a_console_shows_the_services_of_programs_and_when_they_end(self):
        anna = self.start("hello", "offer", name="anna")
        cluster = self.enterContext(Cluster(properties={"cluster.name": "examples"}))
        console = cluster.add("console").start(seeds=[anna.address])
        console.follow("hello")
        listing = console.wait_listing("hello", ["anna/user/greeter"])
        self.assertEqual([ref["type"] for ref in listing["refs"]], ["example.hello"])
        self.assertEqual(console.listing("hello")["refs"], listing["refs"])
        self.assertEqual(console.ask("keys", "keys")["keys"], [{"key": "hello", "registrations": 1}])
        sent = console.ask("send hello who-are-you", "sent")
        self.assertEqual((sent["count"], sent["left_out"]), (0, 1))
        self.assertEqual(console.ask("watch hello", "watching")["count"], 1)
        since = console.mark()
        self.end(anna)
        console.wait_listing("hello", [], since=since)
        self.assertEqual(console.wait_event("terminated")["ref"]["path"], "/user/greeter")
        self.assertEqual(console.quit(), 0)


if __name__ == "__main__":
    unittest.main()
