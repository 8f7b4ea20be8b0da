"""A program that is driven by its standard input and watched by the lines of its standard output."""

import re
import subprocess
import threading

from support.grid import PATIENCE_S


class Program:
    """Runs from the start; ends with the `with` block, whatever it does. Any of its lines can be waited for."""

    def __init__(self, *command, stdin=subprocess.PIPE, **options):
        self.process = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1, **options
        )
        self.command = " ".join(command)
        self._lines = []
        self._errors = []
        self._changed = threading.Condition()
        self._readers = [
            threading.Thread(target=self._read, args=(stream, into))
            for stream, into in ((self.process.stdout, self._lines), (self.process.stderr, self._errors))
        ]
        for reader in self._readers:
            reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.stderr.close()

    def _read(self, stream, into):
        for line in stream:
            with self._changed:
                into.append(line.rstrip("\n"))
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    @property
    def lines(self):
        with self._changed:
            return list(self._lines)

    def wait_line(self, pattern, after=0):
        """The match of the first line, from number `after` on, that the pattern fits."""
        fits = re.compile(pattern)

        def first():
            return next((found for line in self._lines[after:] if (found := fits.search(line))), None)

        with self._changed:
            self._changed.wait_for(lambda: first() or self.process.poll() is not None, PATIENCE_S)
            # What it said last may still be on its way when it has ended.
            found = first() or (self._changed.wait_for(first, 1) and first())
            if not found:
                raise AssertionError(
                    f"no line of {self.command} fits {pattern!r} (it has "
                    f"{'ended with ' + str(self.process.returncode) if self.process.poll() is not None else 'not ended'})"
                    f"; its lines: {self._lines[after:]}; its errors: {self._errors[-20:]}"
                )
            return found

    @property
    def errors(self):
        with self._changed:
            return list(self._errors)

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end_input(self):
        self.process.stdin.close()

    def wait_end(self):
        """The exit code, once all that it said is here."""
        code = self.process.wait(PATIENCE_S)
        for reader in self._readers:
            reader.join()
        return code

    def kill(self):
        self.process.kill()
        self.process.wait()
