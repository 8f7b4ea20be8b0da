"""A network between nodes that delays and loses messages, and can be cut, without any privilege.

Each node publishes the address of a proxy, through which the others come. The proxy knows Ice's frames and ours, so it
loses whole messages, as a network under unreliable datagrams would, and knows who speaks.
"""

import asyncio
import contextlib
import random
import struct
import threading

from support.grid import PATIENCE_S, free_port

HEADER_BYTES = 14
REQUEST = 0


def _size(data, at):
    """A size as Ice writes it, and where it ends."""
    if data[at] < 255:
        return data[at], at + 1
    return struct.unpack_from("<i", data, at + 1)[0], at + 5


def _skip_text(data, at):
    size, at = _size(data, at)
    return at + size


def speaker(message):
    """The name of the node that speaks in a request of our transport; None where it is something else."""
    with contextlib.suppress(IndexError, struct.error, UnicodeDecodeError):
        at = HEADER_BYTES + 4  # the request's number
        at = _skip_text(message, _skip_text(message, at))  # identity
        facets, at = _size(message, at)
        for _ in range(facets):
            at = _skip_text(message, at)
        at = _skip_text(message, at) + 1  # operation, mode
        entries, at = _size(message, at)
        for _ in range(2 * entries):
            at = _skip_text(message, at)
        _, at = _size(message, at + 6)  # the encapsulation's head, then the frame's size
        frame = message[at:]
        if frame[0] != 1:
            return None
        size = frame[10]  # after version, about and the cluster's key; a name has less than 128 bytes
        return frame[11:11 + size].decode()
    return None


class BadNetwork:
    """Proxies for any number of nodes, in one thread."""

    def __init__(self, loss=0.0, delay_s=0.0, seed=1):
        self.loss = loss
        self.delay_s = delay_s
        self.lost = 0
        self.passed = 0
        self._random = random.Random(seed)
        self._side = frozenset()
        self._servers = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def add(self, node):
        """Puts a proxy before a node that has not started: the others come through it."""
        port = free_port()
        self._servers.append(asyncio.run_coroutine_threadsafe(
            asyncio.start_server(lambda reader, writer: self._serve(node, reader, writer), "127.0.0.1", port),
            self._loop).result(PATIENCE_S))
        node.properties["cluster.published"] = f"tcp -h 127.0.0.1 -p {port}"
        return node.properties["cluster.published"]

    def cut(self, name):
        """From now on nothing passes between this node and the others, and nobody is told."""
        self._side = frozenset((name,))

    def heal(self):
        self._side = frozenset()

    def close(self):
        async def end():
            for server in self._servers:
                server.close()
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        asyncio.run_coroutine_threadsafe(end(), self._loop).result(PATIENCE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)
        self._loop.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    async def _serve(self, node, reader, writer):
        try:
            there, back = await asyncio.open_connection("127.0.0.1", node.port)
        except OSError:
            writer.close()
            return
        connection = {"from": None, "to": node.name}
        ways = [asyncio.ensure_future(self._pass(connection, reader, back, True)),
                asyncio.ensure_future(self._pass(connection, there, writer, False))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            back.close()
            writer.close()

    async def _pass(self, connection, reader, writer, is_forward):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readexactly(HEADER_BYTES)
                message = head + await reader.readexactly(struct.unpack_from("<i", head, 10)[0] - HEADER_BYTES)
                is_request = is_forward and head[8] == REQUEST
                if is_request:
                    connection["from"] = speaker(message) or connection["from"]
                is_cut = connection["from"] is not None and (
                    (connection["from"] in self._side) != (connection["to"] in self._side))
                if is_cut or (is_request and self._random.random() < self.loss):
                    self.lost += 1
                    continue
                self.passed += 1
                # The same time for all of them, so they keep their order.
                self._loop.call_later(self.delay_s, self._write, writer, message)

    @staticmethod
    def _write(writer, message):
        if not writer.is_closing():
            writer.write(message)
