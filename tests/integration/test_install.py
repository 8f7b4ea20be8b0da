"""What `cmake --install` gives to users: the headers that the guides name, and code in the comments of headers that
compiles against them."""

import os
import re
import subprocess
import tempfile
import unittest

SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# For users' tests; all other headers of tests are this project's own.
FOR_USERS_TESTS = {"actor/test_system.hpp"}

API = """struct api_message { static constexpr std::string_view message_name = "shop.api"; std::string path; };
class api_actor : public muster::actor<api_message> { public: void receive(context&, api_message) override {} };
"""
MONEY = """class money {
 public:
  explicit money(std::uint64_t cents) : cents_{cents} {}
  std::uint64_t cents() const { return cents_; }
 private:
  std::uint64_t cents_;
};
"""
JOB = """struct job { static constexpr std::string_view message_name = "shop.job"; std::string user; };
void f(const muster::receptionist::handle& receptionist, const muster::service_key<job>& worker_key) {
"""
REGISTERING = """using namespace muster::receptionist;
void f(const handle& receptionist, const muster::service_key<api_message>& api_key,
       const muster::actor_ref<api_message>& api) {
"""
# Headers whose comments show code (in lines that begin with "///     "), with what stands before and after it.
SHOWN = {
    "actor/message_name.hpp": ("", ""),
    "message/codec.hpp": (MONEY, ""),
    "actor/actor_system.hpp": (f"namespace a {{ {API} void f() {{", "} }"),
    "actor/test_system.hpp": (f"namespace b {{ {API} using muster::testing::test_system; void f() {{", "} }"),
    "runtime/join.hpp": ("namespace c { void f() {", "} }"),
    "receptionist/service_key.hpp": (f"namespace d {{ {API}", "}"),
    "receptionist/options.hpp": ("namespace e { using namespace muster; void f(actor_system& system) {", "} }"),
    "receptionist/messages.hpp": (f"namespace g {{ {API} {REGISTERING}", "} }"),
    "receptionist/group_router.hpp": (f"namespace h {{ {JOB}", "} }"),
}


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.prefix = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="muster-install-"))
        subprocess.run(["cmake", "--install", os.environ["MUSTER_BUILD"], "--prefix", cls.prefix, "--component", "dev"],
                       check=True, capture_output=True, text=True, timeout=300)
        cls.headers = os.path.join(cls.prefix, "include", "muster")

    def compile(self, text):
        done = subprocess.run([os.environ["MUSTER_CXX"], "-std=c++20", "-fsyntax-only", "-x", "c++", "-I",
                               os.path.dirname(self.headers), "-"], input=text, capture_output=True, text=True,
                              timeout=600, check=False)
        self.assertEqual(done.returncode, 0, text + done.stderr[:4000])

    def test_headers_that_guides_name_are_installed_and_those_of_own_tests_are_not(self):
        guides = [name for name in os.listdir(os.path.join(SOURCES, "docs")) if name.endswith(".md")]
        named = {header for guide in guides
                 for header in re.findall(r"muster/([a-z_/]+\.hpp)", read(SOURCES, "docs", guide)
                                          if guide.startswith("guide") else "")}
        self.assertIn("actor/test_system.hpp", named)
        for header in named:
            self.assertTrue(os.path.exists(os.path.join(self.headers, header)), header)
        of_tests = {os.path.relpath(os.path.join(folder, name), self.headers)
                    for folder, _, names in os.walk(self.headers) for name in names
                    if name.startswith("test_") or ".test." in name}
        self.assertEqual(of_tests, FOR_USERS_TESTS)

    def test_code_in_comments_of_headers_compiles_against_what_is_installed(self):
        text = "#include <muster/muster.hpp>\n#include <muster/actor/test_system.hpp>\n"
        for header, (before, after) in SHOWN.items():
            code = "\n".join(re.findall(r"^ *///     (.*)$", read(self.headers, header), re.MULTILINE))
            self.assertNotEqual(code, "", header)
            text += f'{before}\n# 1 "{header}"\n{code.replace("...", "")}\n{after}\n'
        self.compile(text)


if __name__ == "__main__":
    unittest.main()
