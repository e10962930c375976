#!/usr/bin/env python3
"""What front ends cost a program that `perftool serve` measures.

usage: front_ends.py reports TOOL FRONT_ENDS PROGRAM [ARG...]
       front_ends.py pings TOOL COUNT PROGRAM [ARG...]

`reports`: so many front ends, every other one in XML, get a report every 100 ms
from before the program begins to its end. Prints what the program prints, and
how many reports came: "reports N". `pings`: one front end gives the operation
PING so often, one after the other, while the program runs. Prints how many were
answered a second: "pings N"."""
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time

from front_end import PATIENCE, connect

REPORT_MS = 100


def setting(serial):
    """The messages with which a front end asks for reports."""
    if serial % 2:
        return (b"<DYPER XCOMMAND='SET'><VAR NAME='REPORTTIME' VALUE='%d'/>"
                b"</DYPER>\n" % REPORT_MS)
    return (b'{"jsonrpc": "2.0", "id": 1, "method": "set", "params": '
            b'{"var": [{"name": "REPORTTIME", "value": %d}]}}\n' % REPORT_MS)


def serve(tool, path, program, options=()):
    return subprocess.Popen([tool, "serve", "-q", "-n", "-t", "turn",
                             "--socket", path, *options, *program],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def reports(tool, path, count, program):
    server = serve(tool, path, program, ["--wait-front-end"])
    selector = selectors.DefaultSelector()
    files = [connect(path) for _ in range(count or 1)]
    for serial, file in enumerate(files):
        if count:
            file.sendall(setting(serial))
        selector.register(file, selectors.EVENT_READ, serial)
    # The program is held until one of them has answered START.
    files[0].sendall(b'{"jsonrpc": "2.0", "id": 1, "result": {}}\n')
    came = 0
    while selector.get_map():
        for key, _ in selector.select(PATIENCE):
            data = key.fileobj.recv(1 << 20)
            if not data:
                selector.unregister(key.fileobj)
                key.fileobj.close()
            came += data.count(b"<DYPER REPORT=")
            came += data.count(b'"method":"report"')
    sys.stdout.write(server.communicate()[0].decode())
    print("reports", came)


def pings(tool, path, count, program):
    server = serve(tool, path, program)
    file = connect(path)
    lines = file.makefile("rb")

    def ping():
        file.sendall(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        while b'"id":1' not in lines.readline().replace(b" ", b""):
            pass

    ping()
    begin = time.monotonic()
    for _ in range(count):
        ping()
    print("pings %.0f" % (count / (time.monotonic() - begin)))
    server.send_signal(signal.SIGINT)
    server.communicate()


def main():
    what, tool, count, program = (sys.argv[1], sys.argv[2], int(sys.argv[3]),
                                  sys.argv[4:])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        {"reports": reports, "pings": pings}[what](tool, path, count, program)


main()
