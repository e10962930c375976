"""A front end for tests: `from front_end import FrontEnd`, with tests/ in
PYTHONPATH.

A front end connects to the socket of a `perftool serve`, in one of the two
encodings, and gives each message as an ElementTree element (XML) or as a
dictionary (JSON)."""
import json
import socket
import time
import xml.etree.ElementTree as ElementTree

from fair_time import Limit, is_readable

PATIENCE = 30  # seconds; a test that waits longer has failed


def connect(path):
    """Connect, and wait for the socket if it does not exist yet."""
    limit = Limit(PATIENCE)
    while True:
        file = socket.socket(socket.AF_UNIX)
        try:
            file.connect(path)
            return file
        except OSError:
            file.close()
            if limit.is_over():
                raise
            time.sleep(0.01)


class FrontEnd:
    def __init__(self, path):
        self.file = connect(path)
        self.file.settimeout(PATIENCE)
        self.bytes = b""
        self.ids = 0

    def send(self, text):
        self.file.sendall(text if isinstance(text, bytes) else text.encode())

    def line(self):
        """The next line, or None at the end."""
        while b"\n" not in self.bytes:
            if not is_readable(self.file, PATIENCE):
                raise TimeoutError("the server does not answer")
            try:
                more = self.file.recv(1 << 16)
            except ConnectionResetError:
                # The server has closed the connection, and had not read all
                # that was sent. What it has sent before is read already.
                return None
            if not more:
                return None
            self.bytes += more
        line, self.bytes = self.bytes.split(b"\n", 1)
        return line + b"\n"

    def close(self):
        self.file.close()


class Xml(FrontEnd):
    def message(self):
        """The next message, or None at the end. A message may have several
        lines; the last one completes the element."""
        text = b""
        while True:
            line = self.line()
            if line is None:
                return None
            text += line
            try:
                return ElementTree.fromstring(text)
            except ElementTree.ParseError:
                pass

    def ask(self, text):
        """Send a message, and return its reply. Notices are left out."""
        self.send(text)
        return self.reply()

    def reply(self):
        while True:
            message = self.message()
            if message is None or message.tag.endswith("_REPLY"):
                return message


class Json(FrontEnd):
    def message(self):
        line = self.line()
        return None if line is None else json.loads(line)

    def call(self, method, **params):
        """Call a method, and return its whole reply."""
        self.ids += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.ids,
                              "method": method, "params": params}) + "\n")
        return self.reply()

    def reply(self):
        while True:
            message = self.message()
            if message is None or "method" not in message:
                return message
