"""A network of the kernel's own: each node in a network namespace, all on one bridge. Needs the right to make them."""

import itertools
import os
import subprocess

_networks = itertools.count()


def _ip(*arguments):
    subprocess.run(["ip", *arguments], capture_output=True, text=True, timeout=60, check=True)


class Namespaces:
    """Between nodes that are cut apart frames vanish, and neither side is told: connections stay, and are silent."""

    # Which link a frame takes is the bridge's to say: a port's state is 0 (nothing passes) or 3 (all does).
    CUT, WHOLE = "0", "3"

    def __init__(self):
        # Other tests may run at the same time.
        number = os.getpid() * 8 + next(_networks) % 8
        self._name = f"mu{number}"
        self._net = f"10.{64 + number % 64}.{number // 64 % 256}"
        self._nodes = {}
        self._cut = ()
        _ip("link", "add", self._name, "type", "bridge")
        _ip("link", "set", self._name, "up")

    @staticmethod
    def why_not():
        """Why this process may not make them; nothing where it may."""
        name = f"mu-try-{os.getpid()}"
        try:
            _ip("netns", "add", name)
        except subprocess.CalledProcessError as failed:
            return failed.stderr.strip() or str(failed)
        except OSError as failed:
            return str(failed)
        _ip("netns", "delete", name)
        return None

    def add(self, node):
        """Gives a node that has not started a namespace and an address of its own. Returns its endpoint."""
        number = len(self._nodes) + 1
        namespace, port = f"{self._name}-{number}", f"{self._name}p{number}"
        self._nodes[node.name] = (namespace, port)
        _ip("netns", "add", namespace)
        _ip("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", namespace)
        _ip("link", "set", port, "master", self._name, "up")
        node.host = f"{self._net}.{number}"
        node.prefix = ["ip", "netns", "exec", namespace]
        _ip("-n", namespace, "address", "add", f"{node.host}/24", "dev", "eth0")
        _ip("-n", namespace, "link", "set", "eth0", "up")
        _ip("-n", namespace, "link", "set", "lo", "up")
        return node.endpoint

    def _set(self, names, state):
        for name in names:
            subprocess.run(["bridge", "link", "set", "dev", self._nodes[name][1], "state", state], timeout=60,
                           check=True)

    def cut(self, name):
        """From now on nothing passes between this node and the others."""
        self._cut = (name,)
        self._set(self._cut, self.CUT)

    def heal(self):
        self._set(self._cut, self.WHOLE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for namespace, port in self._nodes.values():
            _ip("link", "delete", port)
            _ip("netns", "delete", namespace)
        _ip("link", "delete", self._name)
