#!/usr/bin/env python3
"""How soon `set detail auto` counts the functions of a phase.

usage: detail.py TOOL PHASES CALLS PROGRAM

The program (tests/bench/phases.c) prints when each of its phases begins. Prints
for each phase "counted FUNCTION MS": how long it took from then until the
function of the phase had counts, with an error of some 10 ms; and at the end
"cost PERCENT", what detail then says that it costs."""
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

from front_end import connect


def main():
    tool, count, calls, program = sys.argv[1:5]
    phases = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        server = subprocess.Popen(
            [tool, "serve", "-q", "-e", "set detail auto", "--socket", path,
             program, count, calls],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        def read_phases():
            for line in server.stdout:
                words = line.split()
                if words[0] == "phase":
                    phases.append((words[1], int(words[3])))

        reader = threading.Thread(target=read_phases)
        reader.start()
        lines = connect(path).makefile("rwb")
        counts, told, cost = {}, 0, None
        while True:
            try:
                lines.write(b'{"jsonrpc": "2.0", "id": 1, "method": "report"}\n')
                lines.flush()
                message = {}
                while "result" not in message:
                    message = json.loads(lines.readline())
            except (OSError, ValueError):
                break
            report = message["result"]
            now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            cost = (report["detail"] or {}).get("cost_percent", cost)
            for leg in report["legs"]:
                name = leg["name"].split("@")[0]
                if (told < len(phases) and name == phases[told][0]
                        and leg["count"] > counts.get(name, 0)):
                    print("counted %s %.1f" % (name, (now - phases[told][1]) / 1e6))
                    told += 1
                counts[name] = leg["count"]
            time.sleep(0.01)
        reader.join()
        server.wait()
        print("phases %d counted %d" % (len(phases), told))
        print("cost %.3f" % cost)


main()
