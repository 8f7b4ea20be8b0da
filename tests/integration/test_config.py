"""What the registry makes of its configuration, and of its command line: as it is started by people and by scripts."""

import os
import shutil
import signal
import subprocess
import tempfile
import unittest

import Ice
from support.certificates import Authority
from support.grid import INSTANCE, MUSTER, PATIENCE_S, Grid, free_port, wait_until
from support.ice_client import IceGrid, communicator
from support.objects import wait_active_slaves

STOCK = "icegridregistry"


def run(*arguments, program=(MUSTER, "registry"), cwd=None):
    """A start that ends by itself."""
    environment = {name: value for name, value in os.environ.items() if name != "ICE_CONFIG"}
    return subprocess.run([*program, *arguments], capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                          cwd=cwd, env=environment)


class Started:
    """A registry that runs until the end of the block."""

    def __init__(self, *arguments, cwd, program=(MUSTER, "registry")):
        self.process = subprocess.Popen([*program, *arguments], cwd=cwd, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=PATIENCE_S)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class DirectoryTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="muster-config-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def settings(self, **changed):
        """A master's properties as arguments; None leaves one out."""
        properties = {
            "IceGrid.InstanceName": "ConfigGrid",
            "IceGrid.Registry.Client.Endpoints": f"tcp -h 127.0.0.1 -p {free_port()}",
            "IceGrid.Registry.Server.Endpoints": "tcp -h 127.0.0.1",
            "IceGrid.Registry.Internal.Endpoints": "tcp -h 127.0.0.1",
            "IceGrid.Registry.LMDB.Path": self.path("db"),
            "IceGrid.Registry.Discovery.Enabled": "0",
            **{name.replace("__", "."): value for name, value in changed.items()},
        }
        return [f"--{name}={value}" for name, value in properties.items() if value is not None]

    def assert_refused(self, done, *parts):
        """Exit code 1, nothing on standard output, one line on standard error with all of this in it."""
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)


class BadValuesTest(DirectoryTest):
    def refused(self, name, value, *parts):
        with self.subTest(f"{name}={value}"):
            self.assert_refused(run(*self.settings(**{name: value})), name, *parts)
            self.assertFalse(os.path.exists(self.path("db")), "something was opened before all was checked")

    def test_each_is_one_line_that_names_the_property(self):
        registry = "IceGrid.Registry"
        for adapter in ("Client", "Server", "Internal"):
            self.refused(f"{registry}.{adapter}.Endpoints", None)
            self.refused(f"{registry}.{adapter}.Endpoints", "tcp -p abc", "abc")
            self.refused(f"{registry}.{adapter}.Endpoints", "tcp -p 70000", "70000")
            self.refused(f"{registry}.{adapter}.Endpoints", "carrier-pigeon -h 127.0.0.1", "carrier-pigeon")
        self.refused(f"{registry}.SessionTimeout", "soon", "soon")
        self.refused(f"{registry}.ReplicaSessionTimeout", "0", "0")
        self.refused(f"{registry}.DynamicRegistration", "maybe", "maybe")
        self.refused(f"{registry}.LMDB.MapSize", "12MB", "12MB")
        self.refused("Muster.Registry.LMDB.MapSizeMax", "0", "0")
        self.refused(f"{registry}.Discovery.Port", "65536", "65536")
        self.refused("Muster.Registry.ReplicationTimeout", "-1", "-1")
        self.refused("Muster.Registry.Http.Endpoint", "127.0.0.1:http", "http")
        self.refused("Muster.Log.Level", "chatty", "chatty")

    def test_a_misspelt_property_is_refused_with_the_nearest_known_one(self):
        self.refused("IceGrid.Registry.DynamicRegistartion", "1", "did you mean IceGrid.Registry.DynamicRegistration?")

    def test_what_is_not_supported_yet_is_refused_where_it_protects_and_warned_about_elsewhere(self):
        self.refused("IceGrid.Registry.AdminSessionFilters", "1")
        replica = self.enterContext(Grid()).add("Master")
        replica.start(**{"IceGrid.Registry.NodeSessionTimeout": "20"})
        self.assertIn("IceGrid.Registry.NodeSessionTimeout", replica.log())

    def test_a_database_path_without_a_parent_is_refused(self):
        self.assert_refused(run(*self.settings(IceGrid__Registry__LMDB__Path=None)), "IceGrid.Registry.LMDB.Path")
        self.assert_refused(run(*self.settings(IceGrid__Registry__LMDB__Path=self.path("no/such/parent"))),
                            "IceGrid.Registry.LMDB.Path", self.path("no/such"))

    def test_a_file_of_properties_that_cannot_be_read_is_named(self):
        self.assert_refused(run(f"--Ice.Config={self.path('nowhere')}"), self.path("nowhere"))

    def test_an_unknown_option_is_named(self):
        self.assert_refused(run("--bogus", *self.settings()), "--bogus")

    def test_a_file_of_passwords_that_is_missing_or_broken_is_refused_before_anything_opens(self):
        broken = write(self.path("passwords"), "alice $5$abc$def\nbob\n")
        for name in ("IceGrid.Registry.CryptPasswords", "IceGrid.Registry.AdminCryptPasswords"):
            self.refused(name, broken, broken, "line 2", "allowed is")
            self.refused(name, self.path("nowhere"), self.path("nowhere"), "allowed is")

    def test_a_file_of_accounts_that_is_missing_or_broken_is_refused_before_anything_opens(self):
        broken = write(self.path("accounts"), "web alice\njobs\n")
        self.refused("IceGrid.Registry.UserAccounts", broken, broken, "line 2", "allowed is")
        self.refused("IceGrid.Registry.UserAccounts", self.path("nowhere"), self.path("nowhere"), "allowed is")

    def test_a_host_that_is_not_known_is_refused_before_anything_opens(self):
        unknown = "nowhere..invalid"  # cannot be a name, so no name server is asked
        self.refused("Muster.Registry.Http.Endpoint", f"{unknown}:9000", unknown, "allowed is")
        self.refused("IceGrid.Registry.Client.Endpoints", f"tcp -h {unknown}", unknown, "allowed is")
        self.refused("IceGrid.Registry.Discovery.Address", "not an address", "allowed is")
        self.refused("IceGrid.Registry.Discovery.Address", unknown, "allowed is")

    def test_tls_that_cannot_work_is_refused_before_anything_opens(self):
        authority = Authority(self.directory, "ours")
        mine = authority.issue("Master")
        other_key = authority.issue("other")["IceSSL.KeyFile"]
        locked_key = Authority.lock(mine["IceSSL.KeyFile"], "right")
        text = write(self.path("text"), "this is no certificate\n")
        nowhere = self.path("nowhere")
        for name, value, more in (
                ("IceSSL.CertFile", nowhere, {}),
                ("IceSSL.CertFile", text, {}),
                ("IceSSL.CertFile", os.path.basename(mine["IceSSL.CertFile"]), {"IceSSL.DefaultDir": nowhere}),
                ("IceSSL.KeyFile", nowhere, {}),
                ("IceSSL.KeyFile", other_key, {}),
                ("IceSSL.KeyFile", locked_key, {"IceSSL.Password": "a wrong one"}),
                ("IceSSL.CAs", nowhere, {}),
                ("IceSSL.CAs", text, {}),
        ):
            with self.subTest(f"{name}={value}"):
                properties = {**mine, **more, name: value}
                done = run(*self.settings(**properties))
                self.assert_refused(done, f"{name}={value}", "allowed is", *more.keys())
                self.assertNotIn("a wrong one", done.stderr)
                self.assertFalse(os.path.exists(self.path("db")), "something was opened before all was checked")
        self.refused("IceSSL.VerifyPeer", "7", "7")

    def test_a_locked_key_that_nobody_can_be_asked_for_is_refused(self):
        mine = Authority(self.directory, "ours").issue("Master")
        locked_key = os.path.basename(Authority.lock(mine["IceSSL.KeyFile"], "right"))
        mine.update({"IceSSL.KeyFile": locked_key, "IceSSL.DefaultDir": os.path.dirname(mine["IceSSL.KeyFile"])})
        ping = ["--locator", "X/Locator:ssl -h 127.0.0.1 -p 1"]
        for verb, arguments in (("registry", self.settings(**mine)),
                                ("ping", [*ping, *(f"--{name}={value}" for name, value in mine.items())])):
            # A session of its own has no terminal.
            done = subprocess.run([MUSTER, verb, *arguments], capture_output=True, text=True, timeout=PATIENCE_S,
                                  check=False, start_new_session=True, stdin=subprocess.DEVNULL)
            self.assert_refused(done, f"IceSSL.KeyFile={locked_key}", "IceSSL.Password is not set; allowed is")
        self.assertFalse(os.path.exists(self.path("db")), "something was opened before all was checked")

    def test_what_ice_itself_opens_is_looked_at_too(self):
        self.refused("Ice.Admin.Endpoints", "tcp -p abc", "abc", "allowed is")
        self.refused("Ice.LogFile", self.path("no/such/log"), self.path("no/such"), "allowed is")
        self.assertFalse(os.path.exists(self.path("no")))

    def test_a_port_that_is_taken_is_said(self):
        taken = self.enterContext(Grid()).add("Master").start()
        done = run(*self.settings(IceGrid__Registry__Client__Endpoints=taken.client_endpoint))
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(taken.client_port), done.stderr)
        for name in ("IceGrid.Registry.Internal.Endpoints", "Ice.Admin.Endpoints"):
            done = run(*self.settings(**{name: taken.client_endpoint, "Ice.Admin.InstanceName": "admin"}))
            self.assert_refused(done, f"{name}={taken.client_endpoint}", "in use")
        done = run(*self.settings(Muster__Registry__Http__Endpoint=str(taken.client_port)))
        self.assert_refused(done, "Muster.Registry.Http.Endpoint", str(taken.client_port), "in use")

    def test_a_database_that_another_process_owns_is_left_alone(self):
        owner = self.enterContext(Grid()).add("Master").start()
        done = run(*self.settings(IceGrid__Registry__LMDB__Path=owner.database))
        self.assertEqual(done.returncode, 1)
        self.assertIn(owner.database, done.stderr)
        self.assertIn(str(owner.process.pid), done.stderr)
        self.assertTrue(owner.is_running())


class SlaveTest(DirectoryTest):
    def test_without_a_locator_it_is_refused(self):
        self.assert_refused(run(*self.settings(IceGrid__Registry__ReplicaName="Replica1")), "Ice.Default.Locator")

    def test_with_a_locator_of_another_instance_it_is_refused(self):
        self.assert_refused(run(*self.settings(IceGrid__Registry__ReplicaName="Replica1",
                                               Ice__Default__Locator="Other/Locator:tcp -h 127.0.0.1 -p 1")),
                            "ConfigGrid", "Other")

    def test_copying_from_itself_or_from_nobody_is_refused(self):
        slave = self.settings(IceGrid__Registry__ReplicaName="Replica1",
                              Ice__Default__Locator=f"ConfigGrid/Locator:tcp -h 127.0.0.1 -p {free_port()}")
        self.assert_refused(run("--initdb-from-replica", "Replica1", *slave), "Replica1")
        self.assert_refused(run("--initdb-from-replica", *slave), "--initdb-from-replica")
        done = run("--initdb-from-replica", "zz", *slave)
        self.assertEqual(done.returncode, 1)
        self.assertIn("zz", done.stderr)


MASTER_SAMPLE = """\
IceGrid.InstanceName=DemoIceGrid
IceGrid.Registry.Client.Endpoints=tcp -p 12000
IceGrid.Registry.Server.Endpoints=tcp
IceGrid.Registry.Internal.Endpoints=tcp
IceGrid.Registry.LMDB.Path=db/master
"""

SLAVE_SAMPLE = """\
Ice.Default.Locator=DemoIceGrid/Locator:default -p 12000
IceGrid.Registry.Client.Endpoints=default -p 12001
IceGrid.Registry.Server.Endpoints=default
IceGrid.Registry.Internal.Endpoints=default
IceGrid.Registry.LMDB.Path=db/replica1
IceGrid.Registry.ReplicaName=Replica1
"""


class SampleConfigurationTest(DirectoryTest):
    """The two samples of the manual's chapter on replication; only the port is one that is free here."""

    def start(self, name, text, *more):
        path = write(self.path(name), text)
        return self.enterContext(Started(f"--Ice.Config={path}", "--nowarn", *more, cwd=self.directory))

    def answers(self, port, replica):
        with communicator(f"DemoIceGrid/Locator:tcp -h 127.0.0.1 -p {port}") as made:
            suffix = "" if replica == "Master" else f"-{replica}"
            found = made.stringToProxy(f"DemoIceGrid/Registry{suffix}")
            found.ice_ping()
            return IceGrid.RegistryPrx.checkedCast(found)

    def check_both(self, master_text, slave_text, *more):
        ports = {"12000": str(free_port()), "12001": str(free_port())}
        for sample, port in ports.items():
            master_text = master_text.replace(f"-p {sample}", f"-p {port}")
            slave_text = slave_text.replace(f"-p {sample}", f"-p {port}")
        # The database's own directory is made, its parent has to be there.
        os.mkdir(self.path("db"))
        self.start("master.conf", master_text, *more)
        self.start("replica1.conf", slave_text, *more)
        wait_until(lambda: self.answers(ports["12000"], "Master"), "the master answers")
        wait_until(lambda: self.answers(ports["12001"], "Replica1"), "the slave answers")
        self.assertEqual(sorted(os.listdir(self.path("db"))), ["master", "replica1"])

        with communicator(f"DemoIceGrid/Locator:tcp -h 127.0.0.1 -p {ports['12001']}") as made:
            def all_endpoints():
                locator = made.getDefaultLocator().findObjectById(Ice.stringToIdentity("DemoIceGrid/Locator"))
                found = {endpoint.getInfo().port for endpoint in locator.ice_getEndpoints()}
                return found == {int(port) for port in ports.values()}
            wait_until(all_endpoints, "the slave tells of both replicas")

    def test_both_work_with_endpoints_without_a_host(self):
        self.check_both(MASTER_SAMPLE, SLAVE_SAMPLE)

    def test_both_work_on_loopback(self):
        self.check_both(MASTER_SAMPLE, SLAVE_SAMPLE, "--Ice.Default.Host=127.0.0.1")


class UserAccountsTest(DirectoryTest):
    def test_master_and_slave_answer_from_their_files(self):
        accounts = write(self.path("accounts"), "web alice\njobs CN=Bob Doe, O=Shop  # by his certificate\n")
        grid = self.enterContext(Grid())
        master = grid.add("Master").start(**{"IceGrid.Registry.UserAccounts": accounts})
        slave = grid.add("slave1").start(**{"IceGrid.Registry.UserAccounts": write(self.path("others"), "web carol\n")})
        wait_active_slaves(master, 1)
        made = self.enterContext(communicator(grid.locator))
        for name, known, unknown in (
                ("RegistryUserAccountMapper", {"alice": "web", "CN=Bob Doe, O=Shop": "jobs"}, ("web", "carol", "")),
                ("RegistryUserAccountMapper-slave1", {"carol": "web"}, ("alice",))):
            mapper = IceGrid.UserAccountMapperPrx.checkedCast(made.stringToProxy(f"{INSTANCE}/{name}"))
            self.assertEqual({user: mapper.getUserAccount(user) for user in known}, known)
            for user in unknown:
                with self.assertRaises(IceGrid.UserAccountNotFoundException):
                    mapper.getUserAccount(user)
        self.assertEqual(slave.log().count("configuration_warning"), 0)

    def test_without_a_file_there_is_no_such_object(self):
        master = self.enterContext(Grid()).add("Master").start()
        made = self.enterContext(communicator(master.grid.locator))
        with self.assertRaises(Ice.NotRegisteredException):
            made.stringToProxy(f"{INSTANCE}/RegistryUserAccountMapper").ice_ping()


class TraceReplicaTest(unittest.TestCase):
    def test_attempts_are_shown_at_2_and_keep_alives_at_3(self):
        grid = self.enterContext(Grid())
        master = grid.add("Master").start(**{"IceGrid.Registry.Trace.Replica": "3"})
        slave = grid.add("slave1").start(**{"IceGrid.Registry.Trace.Replica": "2"})
        wait_active_slaves(master, 1)
        master.wait_log("keeps the session alive")
        for text in ("asks for a session", "gives a session"):
            master.wait_log(text)
            slave.wait_log(text)
        self.assertNotIn("keeps the session alive", slave.log())


class CommandLineTest(DirectoryTest):
    def test_help_and_version_end_well(self):
        for option in ("-h", "--help"):
            done = run(option)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for word in ("--initdb-from-replica", "--readonly", "--nowarn", "--force", "--daemon", "--pidfile",
                         "--noclose", "--nochdir", "--version"):
                self.assertIn(word, done.stdout)
        versions = {run(option).stdout for option in ("-v", "--version")}
        self.assertEqual(len(versions), 1)
        self.assertRegex(versions.pop(), r"^\S*.*\d+\.\d+")
        done = run(program=(MUSTER, "--help"))
        self.assertEqual(done.returncode, 0)
        for verb in ("registry", "db"):
            self.assertIn(verb, done.stdout)

    def test_called_by_the_name_of_the_stock_program_it_is_the_registry(self):
        link = self.path(STOCK)
        os.symlink(MUSTER, link)
        self.assertEqual(run("--version", program=(link,)).stdout, run("--version").stdout)
        self.assert_refused(run(program=(link,)), "IceGrid.Registry.Client.Endpoints")
        port = free_port()
        arguments = self.settings(IceGrid__Registry__Client__Endpoints=f"tcp -h 127.0.0.1 -p {port}")
        self.enterContext(Started(*arguments, program=(link,), cwd=self.directory))
        with communicator(f"ConfigGrid/Locator:tcp -h 127.0.0.1 -p {port}") as made:
            wait_until(lambda: made.getDefaultLocator().ice_ids(), "it answers")
            self.assertIn("::IceGrid::Locator", made.getDefaultLocator().ice_ids())

    def test_as_a_daemon_it_serves_when_the_command_returns_and_its_pid_file_goes_with_it(self):
        port = free_port()
        pid_file = self.path("pid")
        done = run("--daemon", "--pidfile", pid_file,
                   *self.settings(IceGrid__Registry__Client__Endpoints=f"tcp -h 127.0.0.1 -p {port}",
                                  Ice__LogFile=self.path("log")))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(pid_file, encoding="utf-8") as file:
            pid = int(file.read())
        try:
            with communicator(f"ConfigGrid/Locator:tcp -h 127.0.0.1 -p {port}", Ice__RetryIntervals="-1") as made:
                made.getDefaultLocator().ice_ping()
        finally:
            os.kill(pid, signal.SIGTERM)
        wait_until(lambda: not os.path.exists(pid_file), "the pid file is removed")

    def test_a_daemon_that_cannot_start_says_so_to_who_called(self):
        done = run("--daemon", *self.settings(IceGrid__Registry__Client__Endpoints="tcp -h 127.0.0.1 -p abc"))
        self.assert_refused(done, "IceGrid.Registry.Client.Endpoints")
        taken = self.enterContext(Grid()).add("Master").start()
        done = run("--daemon", *self.settings(IceGrid__Registry__Client__Endpoints=taken.client_endpoint,
                                              Ice__LogFile=self.path("log")))
        self.assert_refused(done, str(taken.client_port))
        done = run("--daemon", *self.settings(IceGrid__Registry__Internal__Endpoints=taken.client_endpoint))
        self.assert_refused(done, str(taken.client_port))
        done = run("--daemon", "--pidfile", self.path("no/such/pid"), *self.settings())
        self.assert_refused(done, self.path("no/such/pid"))


class ExitStatusTest(DirectoryTest):
    """0 done, 1 refused or failed, 2 wrong usage of a tool; and one line on standard error for 1 and 2."""

    def ends_with(self, status, *arguments, says=""):
        with self.subTest(" ".join(arguments)):
            done = run(*arguments, program=(MUSTER,))
            self.assertEqual(done.returncode, status, done.stderr)
            if status == 0:
                self.assertEqual(done.stderr, "")
            else:
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertTrue(done.stderr.startswith("muster"), done.stderr)
            self.assertIn(says, done.stderr)

    def test_wrong_usage_of_a_tool(self):
        nobody = f"X/Locator:tcp -h 127.0.0.1 -p {free_port()}"
        for arguments in (["nope"], ["node"], ["--bogus"], ["db", "nope"], ["db", "backup", "a"], ["db", "stat"],
                          ["db", "stat", "a", "b"], ["db", "check", "--bogus", "a"], ["db", "diverged"], ["ping"],
                          ["ping", "--locator", nobody, "--bogus"], ["ping", "--locator", nobody, "--timeout", "0"]):
            self.ends_with(2, *arguments, says=arguments[0])
        self.ends_with(2, "ping", "--locator", "a b c", says="'a b c'")
        self.ends_with(2, "ping", "--locator", "X/Locator", says="no endpoint")

    def test_what_cannot_be_done(self):
        nowhere = self.path("nowhere")
        for verb in ("stat", "check", "diverged"):
            self.ends_with(1, "db", verb, nowhere, says=nowhere)
        self.ends_with(1, "db", "backup", nowhere, self.path("copy"), says=nowhere)
        self.ends_with(1, "db", "restore", nowhere, self.path("copy"), says=nowhere)
        nobody = ["--locator", f"X/Locator:ssl -h 127.0.0.1 -p {free_port()}"]
        self.ends_with(1, "ping", *nobody, f"--Ice.Config={nowhere}", says=nowhere)
        self.ends_with(1, "ping", *nobody, f"--IceSSL.CAs={nowhere}", says=f"IceSSL.CAs={nowhere}")

    def test_any_refusal_of_a_program_that_runs(self):
        for verb in ("registry", "receptionist"):
            self.ends_with(1, verb, "--bogus", says="--bogus")
            self.ends_with(1, verb, "odd", says="odd")
            self.ends_with(1, verb, says="not set")

    def test_help_of_all_kinds(self):
        for arguments in ([], ["--help"], ["--version"], ["db"], ["db", "stat", "--help"], ["ping", "--help"],
                          ["registry", "--list-properties"], ["receptionist", "--help"]):
            self.ends_with(0, *arguments)

    def test_a_ping_with_an_endpoint_that_is_silent(self):
        replica = self.enterContext(Grid()).add("Master").start()
        locator = replica.grid.locator_of(replica)

        def ping(*arguments):
            return run("ping", "--locator", *arguments, program=(MUSTER,))
        done = ping(locator)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, rf"-p {replica.client_port} .*: up, TestGrid/Registry ")
        silent = free_port()
        done = ping(f"{locator}:tcp -h 127.0.0.1 -p {silent}")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        answering, other = done.stdout.splitlines()
        self.assertRegex(answering, rf"-p {replica.client_port} .*: up, ")
        self.assertRegex(other, rf"-p {silent} .*: no answer: .*refused")


class StockDatabaseTest(DirectoryTest):
    def make_stock_database(self):
        """The directory of a stock registry that has run here."""
        os.mkdir(self.path("stock"))
        port = free_port()
        arguments = self.settings(IceGrid__Registry__LMDB__Path=self.path("stock"),
                                  IceGrid__Registry__Client__Endpoints=f"tcp -h 127.0.0.1 -p {port}")
        with Started(*arguments, program=(STOCK,), cwd=self.directory), \
                communicator(f"ConfigGrid/Locator:tcp -h 127.0.0.1 -p {port}") as made:
            wait_until(lambda: made.getDefaultLocator().ice_ids(), "the stock registry answers")
        with open(os.path.join(self.path("stock"), "data.mdb"), "rb") as file:
            return file.read()

    def test_it_is_refused_with_a_word_and_not_touched(self):
        before = self.make_stock_database()
        done = run(*self.settings(IceGrid__Registry__LMDB__Path=self.path("stock")))
        self.assertEqual(done.returncode, 1)
        self.assertIn("stock", done.stderr)
        self.assertIn(self.path("stock"), done.stderr)
        with open(os.path.join(self.path("stock"), "data.mdb"), "rb") as file:
            self.assertEqual(file.read(), before)


if __name__ == "__main__":
    unittest.main()
