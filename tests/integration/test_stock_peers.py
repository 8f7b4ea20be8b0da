"""Replicas and nodes of IceGrid itself speak another protocol: they are refused in words, and disturb nobody."""

import os
import subprocess
import unittest

from support.grid import Grid, free_port
from support.objects import add, locate, names, wait_active_slaves


class StockPeerTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.master = self.grid.add("Master").start()
        self.log_file = os.path.join(self.grid.directory, "peer-log")

    def run_peer(self, program, **properties):
        os.makedirs(os.path.join(self.grid.directory, "peer"), exist_ok=True)
        with open(self.log_file, "wb") as log:
            peer = subprocess.Popen(
                [program, "--nowarn", f"--Ice.Default.Locator={self.grid.locator}",
                 *(f"--{name.replace('__', '.')}={value}" for name, value in properties.items())],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.grid.directory)
        self.addCleanup(peer.wait)
        self.addCleanup(peer.kill)
        return peer

    def check_refused(self):
        self.master.wait_log("stock_peer_refused")
        add(self.master, "undisturbed")
        self.assertTrue(locate(self.master, "undisturbed"))
        self.assertEqual(self.master.metrics()["muster_active_slaves"], 0)

    def test_a_stock_slave_is_refused(self):
        self.run_peer("icegridregistry", IceGrid__InstanceName=self.grid.instance,
                      IceGrid__Registry__ReplicaName="stock",
                      IceGrid__Registry__Client__Endpoints=f"tcp -h 127.0.0.1 -p {free_port()}",
                      IceGrid__Registry__Server__Endpoints="tcp -h 127.0.0.1",
                      IceGrid__Registry__Internal__Endpoints="tcp -h 127.0.0.1",
                      IceGrid__Registry__Discovery__Enabled="0",
                      IceGrid__Registry__LMDB__Path=os.path.join(self.grid.directory, "peer"))
        self.check_refused()

    def test_a_stock_node_is_refused(self):
        self.run_peer("icegridnode", IceGrid__Node__Name="stock", IceGrid__Node__Endpoints="tcp -h 127.0.0.1",
                      IceGrid__Node__Data=os.path.join(self.grid.directory, "peer"))
        self.check_refused()

    def test_a_slave_of_a_stock_master_copies_nothing_and_goes_on(self):
        slave = self.grid.add("slave1").start()
        wait_active_slaves(self.master, 1)
        add(self.master, "kept")
        self.master.kill()
        # A stock master at the address of ours.
        self.run_peer("icegridregistry", IceGrid__InstanceName=self.grid.instance,
                      IceGrid__Registry__Client__Endpoints=self.master.client_endpoint,
                      IceGrid__Registry__Server__Endpoints="tcp -h 127.0.0.1",
                      IceGrid__Registry__Internal__Endpoints="tcp -h 127.0.0.1",
                      IceGrid__Registry__Discovery__Enabled="0",
                      IceGrid__Registry__LMDB__Path=os.path.join(self.grid.directory, "peer"))
        slave.wait_phase("searching")
        slave.wait_log("no_master")
        self.assertTrue(locate(slave, "kept"))
        self.assertEqual(names(slave), {"kept"})


if __name__ == "__main__":
    unittest.main()
