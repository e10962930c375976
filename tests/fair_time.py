"""fair_time.py - limits that last longer on a busy machine

A second of this clock lasts longer while more threads want to run than there are
processors, as tests/programs/within.c says. It looks at the machine when it is asked, so
it is asked often."""

import os
import select
import time

MOST = 10  # see within.c


def crowd():
    """How many threads want to run for each processor; at least 1."""
    with open("/proc/loadavg") as file:
        running = int(file.read().split()[3].split("/")[0]) - 1
    return min(max(running / len(os.sched_getaffinity(0)), 1), MOST)


class Limit:
    """So many seconds from now on."""

    def __init__(self, seconds):
        self.left = seconds
        self.before = time.monotonic()

    def is_over(self):
        now = time.monotonic()
        self.left -= (now - self.before) / crowd()
        self.before = now
        return self.left < 0


def is_readable(file, seconds):
    """Waits until there is something to read. False: not within these seconds."""
    limit = Limit(seconds)
    while not select.select([file], [], [], 0.25)[0]:
        if limit.is_over():
            return False
    return True


def within(seconds, command):
    """The command under tests/programs/within, which ends it after these seconds."""
    build = os.environ.get("PERFTOOL_BUILD") or os.path.join(
        os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "build")
    return [os.path.join(build, "tests/programs/within"), str(seconds), *command]
