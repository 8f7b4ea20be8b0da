"""Stock icegridadmin against master and slave, judged by its own output."""

import os
import subprocess
import unittest

from support.grid import INSTANCE, Grid, wait_until

APPLICATION = """<icegrid>
  <application name="Shop">
    <replica-group id="ShopGroup">
      <load-balancing type="round-robin" n-replicas="1"/>
      <object identity="shop" type="::Shop::Service"/>
    </replica-group>
    <node name="node1">
      <server id="shop-1" exe="/bin/shop" activation="manual">
        <adapter name="Shop" endpoints="tcp" id="ShopAdapter-1" replica-group="ShopGroup"/>
      </server>
    </node>
  </application>
</icegrid>
"""


class AdminTest(unittest.TestCase):
    def setUp(self):
        self.grid = self.enterContext(Grid())
        self.master = self.grid.add("Master").start()
        self.slave = self.grid.add("slave1").start()
        wait_until(lambda: "slave1" in self.admin("registry list").split(), "the master knows the slave's registry")

    def admin(self, command, *options, succeeds=True):
        done = subprocess.run(
            ["icegridadmin", f"--Ice.Default.Locator={self.grid.locator}", "-u", "test", "-p", "any", *options,
             "-e", command],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode == 0, succeeds, f"{command}: {done.stdout}{done.stderr}")
        return (done.stdout + done.stderr).strip()

    def on_slave(self, command, succeeds=True):
        return self.admin(command, "--replica", "slave1", succeeds=succeeds)

    def test_objects_added_on_the_master_are_listed_by_the_slave(self):
        self.admin('object add "hello:tcp -h 127.0.0.1 -p 10000" ::Demo::Hello')
        for ask in (self.admin, self.on_slave):
            self.assertIn("hello", ask("object list").split())
            self.assertEqual(ask("object describe hello"),
                             "proxy = `hello -t -e 1.1:tcp -h 127.0.0.1 -p 10000 -t 60000'\ntype = `::Demo::Hello'")
            self.assertIn("hello", ask("object find ::Demo::Hello"))
        self.assertIn("already exists", self.admin('object add "hello:tcp -p 1" ::Demo::Hello', succeeds=False))
        self.admin("object remove hello")
        self.assertIn("couldn't find object `hello'", self.on_slave("object describe hello", succeeds=False))

    def test_a_slave_refuses_changes_and_names_the_master(self):
        said = self.on_slave('object add "hello:tcp -h 127.0.0.1 -p 10000" ::Demo::Hello', succeeds=False)
        self.assertIn("DeploymentException", said)
        self.assertIn("'Master'", said)

    def test_registries_are_listed_described_pinged_and_shut_down(self):
        self.assertEqual(sorted(self.admin("registry list").split()), ["Master", "slave1"])
        self.assertIn("host name", self.admin("registry describe slave1"))
        self.assertEqual(self.admin("registry ping slave1"), "registry is up")
        self.assertIn("couldn't find registry", self.admin("registry ping nobody", succeeds=False))
        self.admin("registry shutdown slave1")
        self.assertEqual(self.slave.wait_end(), 0)
        wait_until(lambda: self.admin("registry list").split() == ["Master"], "the slave is gone from the list")

    def test_an_application_is_stored_whole_and_its_servers_are_on_an_unreachable_node(self):
        path = os.path.join(self.grid.directory, "shop.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(APPLICATION)
        self.admin(f'application add "{path}"')
        for ask in (self.admin, self.on_slave):
            self.assertEqual(ask("application list"), "Shop")
            self.assertIn("round-robin", ask("application describe Shop"))
            self.assertEqual(ask("server list"), "shop-1")
            self.assertIn("the node is not active", ask("server state shop-1", succeeds=False))
            self.assertIn("shop", ask("object find ::Shop::Service"))
            self.assertEqual(sorted(ask("adapter list").split()), ["ShopAdapter-1", "ShopGroup"])
        self.assertIn("already exists", self.admin(f'application add "{path}"', succeeds=False))
        with open(path, "w", encoding="utf-8") as file:
            file.write(APPLICATION.replace("round-robin", "random"))
        self.admin(f'application update "{path}"')
        self.assertIn("random", self.on_slave("application describe Shop"))
        self.admin("application remove Shop")
        self.assertEqual(self.on_slave("application list"), "")
        self.assertNotIn("shop", self.admin("object list").split())

    def test_adapters_are_listed_and_removed(self):
        from test_locate import hello_server  # pylint: disable=import-outside-toplevel
        with hello_server(self.grid.locator, "HelloAdapter", "HelloGroup"):
            self.assertEqual(sorted(self.on_slave("adapter list").split()), ["HelloAdapter", "HelloGroup"])
            self.assertIn("tcp -h 127.0.0.1", self.on_slave("adapter endpoints HelloAdapter"))
            self.admin("adapter remove HelloAdapter")
            self.assertEqual(self.on_slave("adapter list"), "")

    def test_a_wrong_name_of_a_replica_is_said(self):
        self.assertIn("no active registry replica named `zz'",
                      self.admin("registry list", "--replica", "zz", succeeds=False))

    def test_the_master_is_shut_down_by_its_administrator(self):
        self.admin("registry shutdown Master")
        self.assertEqual(self.master.wait_end(), 0)

    def test_the_instance_owns_its_category(self):
        said = self.admin(f'object add "{INSTANCE}/mine:tcp -h 127.0.0.1 -p 1" ::Mine', succeeds=False)
        self.assertIn("managed by", said)


if __name__ == "__main__":
    unittest.main()
