"""Nodes that are stopped (SIGSTOP) for 3 s and for 30 s, with the timings that a node has by itself: both are found
unreachable soon, neither is removed before its time, and both come back as who they were."""

import os
import threading
import time
import unittest

from support.receptionists import QUICK, Cluster, wait_equal, wait_met

# Found within 3 s, say the documents. Sanitizers and a busy machine slow everything down.
FOUND_WITHIN_S = 30 if os.environ.get("MUSTER_SANITIZED") else 6


class PausesTest(unittest.TestCase):
    def setUp(self):
        self.cluster = self.enterContext(Cluster(properties=dict.fromkeys(QUICK)))  # None: as it is by itself
        self.a, self.short, self.long, self.d, self.e = self.nodes = self.cluster.start("A", "Short", "Long", "D", "E")
        self.others = (self.a, self.d, self.e)
        for node in self.nodes:
            node.register("work", f"of-{node.name}")
        self.all = [f"{node.name}/user/of-{node.name}" for node in self.nodes]
        wait_equal("work", self.nodes, self.all)

    def pause(self, node, how_long_s, meanwhile):
        """Stops the node for so long, sees that all others find it unreachable and then reachable."""
        since = {other.name: other.mark() for other in self.others}
        begun = time.monotonic()
        node.suspend()
        try:
            for other in self.others:
                other.wait_member(node.name, "unreachable", since=since[other.name])
            found = time.monotonic() - begun
            meanwhile()
            # The length of the stop is what is tested.
            threading.Event().wait(max(0.0, begun + how_long_s - time.monotonic()))
        finally:
            node.resume()
        for other in self.others:
            other.wait_member(node.name, "reachable", since=since[other.name])
        print(f"{node.name}: found after {found:.2f} s, back {time.monotonic() - begun - how_long_s:.2f} s after its "
              f"stop of {how_long_s} s;", end=" ", flush=True)
        self.assertLess(found, FOUND_WITHIN_S)

    def test_stops_of_3_and_of_30_seconds_remove_nobody_and_end_in_equal_listings(self):
        self.a.follow("work")
        incarnations = {node.name: node.listing("work")["refs"] for node in self.nodes}
        failures = []

        def in_parallel(*arguments):
            try:
                self.pause(*arguments)
            except BaseException as failure:  # pylint: disable=broad-except
                failures.append(failure)

        def change_something():
            self.d.register("work", "meanwhile")
            self.e.ask("deregister work of-E", "deregistered")

        long = threading.Thread(target=in_parallel, args=(self.long, 30, change_something))
        long.start()
        in_parallel(self.short, 3, lambda: None)
        smaller = self.a.wait_listing("work", [one for one in self.all if not one.startswith(("Long", "E"))]
                                      + ["D/user/meanwhile"])
        self.assertIn("Long/user/of-Long", [ref["node"] + ref["path"] for ref in smaller["all_refs"]], "not given up")
        long.join()
        self.assertEqual(failures, [])

        wait_met(*self.nodes)
        wait_equal("work", self.nodes, [one for one in self.all if not one.startswith("E")] + ["D/user/meanwhile"])
        for node in self.nodes:
            self.assertEqual([event for event in node.events("member") if event["status"] == "removed"], [])
            self.assertEqual(node.events("renamed"), [], "nobody had to come back as another")
        before = {ref["node"]: ref["node_incarnation"] for ref in incarnations["A"]}
        for ref in self.a.listing("work")["refs"]:
            self.assertEqual(ref["node_incarnation"], before[ref["node"]])


if __name__ == "__main__":
    unittest.main()
