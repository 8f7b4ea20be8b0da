"""Nodes of a cluster of receptionists whose network delays, loses, and falls apart."""

import os
import sys
import unittest

from support.bad_network import BadNetwork
from support.namespaces import Namespaces
from support.receptionists import Cluster, wait_equal, wait_met


class NetworkTest(unittest.TestCase):
    def start(self, network, **properties):
        """Three nodes, in a network."""
        self.network = self.enterContext(network)
        properties = {f"cluster.{name.replace('_', '-')}": value for name, value in properties.items()}
        cluster = self.enterContext(Cluster(properties={"cluster.silence-timeout": "2s", **properties}))
        nodes = [cluster.add(name) for name in "ABC"]
        seed = [self.network.add(node) for node in nodes][0]
        for node in nodes:
            node.start(seeds=[seed])
        wait_met(*nodes)
        return nodes


class LossTest(NetworkTest):
    def test_loss_of_a_fifth_and_50_ms_of_delay_lose_no_registration(self):
        nodes = self.start(BadNetwork(loss=0.2, delay_s=0.05))
        kept = []
        for node in nodes:
            for number in range(10):
                node.tell(f"register work w{number}")
                if number % 2:
                    node.tell(f"deregister work w{number}")
                else:
                    kept.append(f"{node.name}/user/w{number}")
        wait_equal("work", nodes, kept)
        self.assertGreater(self.network.lost, 0)


class PartitionTest(NetworkTest):
    """By the proxy of the tests, which anybody may run."""

    @staticmethod
    def make_network():
        return BadNetwork()

    def start_three(self, **more):
        a, b, c = nodes = self.start(self.make_network(), **more)
        for node in nodes:
            node.register("work", f"of-{node.name}")
        wait_equal("work", nodes, ["A/user/of-A", "B/user/of-B", "C/user/of-C"])
        return a, b, c

    def test_it_makes_others_unreachable_and_heals_by_itself(self):
        a, b, c = self.start_three()
        a.follow("work")
        c.follow("work")
        self.network.cut("C")
        smaller = a.wait_listing("work", ["A/user/of-A", "B/user/of-B"])
        self.assertEqual(len(smaller["all_refs"]), 3)
        c.wait_listing("work", ["C/user/of-C"])
        c.register("work", "meanwhile")
        b.ask("deregister work of-B", "deregistered")
        self.network.heal()
        wait_met(a, b, c)
        wait_equal("work", (a, b, c), ["A/user/of-A", "C/user/meanwhile", "C/user/of-C"])

    def test_it_heals_by_itself_when_it_was_longer_than_the_time_of_removal(self):
        a, b, c = self.start_three(removal_timeout="300ms")
        self.network.cut("C")
        for here, gone in ((a, "C"), (b, "C"), (c, "A"), (c, "B")):
            here.wait_member(gone, "removed")
        wait_equal("work", (a, b), ["A/user/of-A", "B/user/of-B"])
        wait_equal("work", (c,), ["C/user/of-C"])
        c.register("work", "meanwhile")
        b.ask("deregister work of-B", "deregistered")
        self.network.heal()
        wait_met(a, b, c)
        wait_equal("work", (a, b, c), ["A/user/of-A", "C/user/meanwhile", "C/user/of-C"])


    def test_where_the_majority_is_to_be_kept_the_minority_ends_and_says_why(self):
        a, b, c = self.start_three(keep_majority="true", majority_delay="300ms")
        self.network.cut("C")
        self.assertEqual(c.wait_end(), 1)
        left = c.events("left")[-1]
        self.assertFalse(left["asked"])
        self.assertIn(left["sentence"], c.errors())
        a.wait_member("C", "unreachable")
        wait_met(a, b)


class PartitionOfNamespacesTest(PartitionTest):
    """The same by the kernel, where this process may make network namespaces. Where it may not, it says so and takes
    the proxy; with MUSTER_NAMESPACES=required it fails instead."""

    @classmethod
    def setUpClass(cls):
        cls.reason = Namespaces.why_not()
        if cls.reason and os.environ.get("MUSTER_NAMESPACES") == "required":
            raise AssertionError(f"network namespaces cannot be made here: {cls.reason}")
        print("PartitionOfNamespacesTest:", "by network namespaces" if not cls.reason else
              f"by the proxy, not by network namespaces, which cannot be made here: {cls.reason}", file=sys.stderr)

    @classmethod
    def make_network(cls):
        return BadNetwork() if cls.reason else Namespaces()


if __name__ == "__main__":
    unittest.main()
