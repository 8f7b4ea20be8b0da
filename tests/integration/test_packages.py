"""What `cpack` makes of a release build: the packages' files, what they depend on, and that a program is built by what
is in them. Nothing is installed: they are unpacked."""

import glob
import os
import re
import subprocess
import tempfile
import unittest

SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ["MUSTER_BUILD"]
CPACK = ["cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake")]
# A consumer costs the compiler little, yet needs an archive, the headers and what they include.
CONSUMER = """#include <muster/base/error.hpp>
#include <muster/base/utf8.hpp>
int main() { return muster::utf8_length("m") == 1 ? 0 : 1; }
"""
CONSUMER_BUILD = """cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
find_package(muster 0.1 REQUIRED)
add_executable(consumer main.cpp)
target_link_libraries(consumer PRIVATE muster::runtime)
"""


def run(*command, **options):
    """Its standard output; what it said of a failure is in the assertion."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


class BuildTest(unittest.TestCase):
    def test_a_build_for_packages_without_tests_is_configured_as_the_guide_says(self):
        with tempfile.TemporaryDirectory(prefix="muster-build-") as folder:
            run("cmake", "--preset", "release", "-B", folder, "-DMUSTER_TESTS=OFF", cwd=SOURCES)
            self.assertIn("bin/muster:", run("ninja", "-C", folder, "-t", "targets", "all"))


class PackagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="muster-packages-"))
        run(*CPACK, "-B", cls.folder)
        cls.root = os.path.join(cls.folder, "root")
        cls.packages = {}
        for package in glob.glob(os.path.join(cls.folder, "*.deb")):
            cls.packages[run("dpkg-deb", "-f", package, "Package").strip()] = package
            run("dpkg-deb", "-x", package, cls.root)

    def files(self, package):
        """Their paths, and each one's first ten letters of ls -l."""
        listed = [line.split(None, 5) for line in run("dpkg-deb", "-c", self.packages[package]).splitlines()]
        return {fields[5].removeprefix("."): fields[0] for fields in listed if not fields[5].endswith("/")}

    def depends(self, package):
        """The names: of alternatives each."""
        field = run("dpkg-deb", "-f", self.packages[package], "Depends")
        return {re.match(r"[a-z0-9.+-]+", name.strip())[0] for name in re.split(r"[,|]", field)}

    def assert_depends(self, package, *patterns):
        names = self.depends(package)
        for pattern in patterns:
            self.assertTrue(any(re.fullmatch(pattern, name) for name in names), f"{pattern} is not in {names}")

    def read(self, path):
        with open(self.root + path, encoding="utf-8") as file:
            return file.read()

    def test_there_are_two_packages_of_one_version(self):
        architecture = run("dpkg", "--print-architecture").strip()
        self.assertEqual({name: os.path.basename(package) for name, package in self.packages.items()},
                         {name: f"{name}_0.1.0_{architecture}.deb" for name in ("muster", "libmuster-dev")})

    def test_muster_has_the_program_its_manual_unit_and_examples(self):
        self.assertEqual(self.files("muster"), {
            "/usr/bin/muster": "-rwxr-xr-x",
            "/usr/lib/systemd/system/muster-registry@.service": "-rw-r--r--",
            "/usr/share/doc/muster/copyright": "-rw-r--r--",
            "/usr/share/doc/muster/examples/master.conf": "-rw-r--r--",
            "/usr/share/doc/muster/examples/slave.conf": "-rw-r--r--",
            "/usr/share/doc/muster/icegridregistry.md": "-rw-r--r--",
            "/usr/share/man/man1/muster.1": "-rw-r--r--",
        })
        self.assertIn("muster 0.1.0", run(self.root + "/usr/bin/muster", "--version"))

    def test_libmuster_dev_has_the_library_its_headers_and_how_to_find_it(self):
        files = self.files("libmuster-dev")
        library = os.path.dirname(next(path for path in files if path.endswith("/libmuster_runtime.a")))
        for path in ("/usr/include/muster/muster.hpp", "/usr/include/muster/actor/test_system.hpp",
                     "/usr/share/doc/libmuster-dev/copyright", f"{library}/libmuster_registry.a",
                     f"{library}/cmake/muster/musterConfig.cmake", f"{library}/cmake/muster/musterConfigVersion.cmake",
                     f"{library}/pkgconfig/muster.pc"):
            self.assertIn(path, files)
        self.assertFalse([path for path in files if path.startswith(("/usr/bin", "/usr/share/doc/muster/"))])

    def test_copyright_says_what_linking_ice_means(self):
        for package in ("muster", "libmuster-dev"):
            text = self.read(f"/usr/share/doc/{package}/copyright")
            self.assertIn("Permission is hereby granted, free of charge", text)
            self.assertIn("GNU General Public License, version 2", text)
            self.assertIn("/usr/share/common-licenses/GPL-2", text)

    def test_muster_depends_on_every_library_that_it_loads(self):
        self.assert_depends("muster", "libc6", r"libstdc\+\+6", r"libzeroc-ice3\.7.*", "liblmdb0.*", "libsystemd0")
        loads = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", self.root + "/usr/bin/muster"))
        self.assertIn("liblmdb.so.0", loads)
        names = self.depends("muster")
        owners = [line.split(": ") for line in run("dpkg", "-S", *(f"*/{library}" for library in loads)).splitlines()]
        for library in loads:
            found = {owner.split(":")[0] for owner, path in owners if os.path.basename(path) == library}
            provided = run("dpkg-query", "-W", "-f", "${Provides},", *found)
            found |= {re.sub(r"\(.*", "", name).strip() for name in provided.split(",")}
            self.assertTrue(found & names, f"{library} is of {found}")

    def test_libmuster_dev_depends_on_what_its_pkg_config_file_and_its_cmake_package_look_for(self):
        self.assert_depends("libmuster-dev", "pkg-config", "libzeroc-ice-dev", "libexpected-dev", r"libboost1\.\d+-dev",
                            r"libboost-json1\.\d+-dev", "libsystemd-dev")
        pc = self.read(next(path for path in self.files("libmuster-dev") if path.endswith("/muster.pc")))
        required = re.search(r"^Requires: (.*)$", pc, re.MULTILINE)[1].split()
        self.assertIn("openssl", required)
        names = self.depends("libmuster-dev")
        for module in required:
            place = os.path.join(run("pkg-config", "--variable=pcfiledir", module).strip(), module + ".pc")
            owner = run("dpkg", "-S", place).split(":")[0]
            self.assertIn(owner, names, f"{module}.pc is of {owner}")

    def test_programs_are_built_by_pkg_config_and_by_cmake(self):
        folder = os.path.join(self.folder, "consumer")
        os.makedirs(folder)
        for name, text in (("main.cpp", CONSUMER), ("CMakeLists.txt", CONSUMER_BUILD)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        pc = next(path for path in self.files("libmuster-dev") if path.endswith("/muster.pc"))
        flags = run("pkg-config", "--cflags", "--libs", "muster",
                    env={**os.environ, "PKG_CONFIG_PATH": self.root + os.path.dirname(pc)}).split()
        program = os.path.join(folder, "by-pkg-config")
        run(os.environ["MUSTER_CXX"], os.path.join(folder, "main.cpp"), *flags, "-o", program)
        run(program)
        build = os.path.join(folder, "build")
        run("cmake", "-S", folder, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.root}/usr",
            f"-DCMAKE_CXX_COMPILER={os.environ['MUSTER_CXX']}")
        run("ninja", "-C", build)
        run(os.path.join(build, "consumer"))

    def test_without_dpkg_shlibdeps_there_is_no_package_and_one_sentence_says_why(self):
        packages = os.path.join(self.folder, "none")
        finds_nothing = ["-D", "CMAKE_FIND_USE_CMAKE_SYSTEM_PATH=0", "-D", "CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=0"]
        done = subprocess.run([*CPACK, "-B", packages, *finds_nothing], capture_output=True, text=True, timeout=120,
                              check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("dpkg-shlibdeps or file, which find what the package depends on, are missing: "
                      "apt-get install dpkg-dev file", " ".join(done.stderr.split()))
        self.assertEqual(glob.glob(packages + "/*.deb"), [])


if __name__ == "__main__":
    unittest.main()
