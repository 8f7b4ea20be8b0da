"""Nodes of a cluster of receptionists whose network delays, loses, and falls apart."""

import unittest

from support.bad_network import BadNetwork
from support.receptionists import Cluster, wait_equal, wait_met


class BadNetworkTest(unittest.TestCase):
    def start(self, count, removal_timeout="60s", **network):
        self.network = self.enterContext(BadNetwork(**network))
        cluster = self.enterContext(Cluster(properties={"cluster.removal-timeout": removal_timeout}))
        nodes = [cluster.add(name) for name in "ABCDE"[:count]]
        for node in nodes:
            self.network.add(node)
        seed = nodes[0].properties["cluster.published"]
        for node in nodes:
            node.start(seeds=[seed])
        wait_met(*nodes)
        return nodes

    def test_loss_of_a_fifth_and_50_ms_of_delay_lose_no_registration(self):
        nodes = self.start(3, loss=0.2, delay_s=0.05)
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

    def test_a_partition_makes_others_unreachable_and_heals_by_itself(self):
        a, b, c = nodes = self.start(3)
        for node in nodes:
            node.register("work", f"of-{node.name}")
        wait_equal("work", nodes, ["A/user/of-A", "B/user/of-B", "C/user/of-C"])
        a.follow("work")
        c.follow("work")
        self.network.cut("C")
        larger = a.wait_listing("work", ["A/user/of-A", "B/user/of-B"])
        self.assertEqual(len(larger["all_refs"]), 3)
        c.wait_listing("work", ["C/user/of-C"])
        c.register("work", "meanwhile")
        b.ask("deregister work of-B", "deregistered")
        self.network.heal()
        wait_met(*nodes)
        wait_equal("work", nodes, ["A/user/of-A", "C/user/meanwhile", "C/user/of-C"])

    def test_a_partition_longer_than_the_time_of_removal_heals_by_itself(self):
        a, b, c = nodes = self.start(3, removal_timeout="300ms")
        for node in nodes:
            node.register("work", f"of-{node.name}")
        wait_equal("work", nodes, ["A/user/of-A", "B/user/of-B", "C/user/of-C"])
        self.network.cut("C")
        for here, gone in ((a, "C"), (b, "C"), (c, "A"), (c, "B")):
            here.wait_member(gone, "removed")
        wait_equal("work", (a, b), ["A/user/of-A", "B/user/of-B"])
        wait_equal("work", (c,), ["C/user/of-C"])
        c.register("work", "meanwhile")
        b.ask("deregister work of-B", "deregistered")
        self.network.heal()
        wait_met(*nodes)
        wait_equal("work", nodes, ["A/user/of-A", "C/user/meanwhile", "C/user/of-C"])


if __name__ == "__main__":
    unittest.main()
