"""victims.py - a victim as its judge sees it: its shared memory, its /proc

Nothing here knows of the tool. Every wait has a bound, and passing it is a
finding (class Harm), not a reason to try again.
"""

import json
import mmap
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from fair_time import Limit

LIMIT = 20  # seconds that anything may take


class Harm(Exception):
    """The victim is not as it should be."""


class Wrong(Exception):
    """The tool said something that is not true, or failed."""


def wait_until(condition, what, kind=Harm, limit=LIMIT):
    """Poll until condition() is true; its bound is a finding of `kind`."""
    bound = Limit(limit)
    pause = 0.0002
    while True:
        value = condition()
        if value:
            return value
        if bound.is_over():
            raise kind("%s: not within %d s" % (what, limit))
        time.sleep(pause)
        pause = min(pause * 1.5, 0.01)


class Layout:
    """Where in the shared memory what is: the victim tells."""

    def __init__(self, build):
        self.victim = os.path.join(build, "tests/torture/victim")
        text = subprocess.run([self.victim, "--layout"], check=True,
                              stdout=subprocess.PIPE).stdout
        self.__dict__.update(json.loads(text))


def read_maps(pid, tid):
    with open("/proc/%d/task/%d/maps" % (pid, tid)) as file:
        for line in file:
            words = line.rstrip("\n").split(None, 5)
            low, high = (int(x, 16) for x in words[0].split("-"))
            yield (low, high, words[1], int(words[2], 16),
                   words[5] if len(words) > 5 else "")


def memory_of(pid, tid, low, high):
    fd = os.open("/proc/%d/task/%d/mem" % (pid, tid), os.O_RDONLY)
    try:
        return os.pread(fd, high - low, low)
    finally:
        os.close(fd)


def vdso_of(pid, tid):
    for low, high, _, _, path in read_maps(pid, tid):
        if path == "[vdso]":
            return memory_of(pid, tid, low, high)
    return None


def first_difference(a, b):
    return next(i for i in range(len(a)) if i >= len(b) or a[i] != b[i])


class Victim:
    def __init__(self, layout, folder, seed, features, rounds=0, pace=0):
        self.layout, self.folder, self.features = layout, folder, features
        self.memory_file = os.path.join(folder, "truth")
        with open(self.memory_file, "wb") as file:
            file.truncate(layout.size)
        with open(self.memory_file, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), layout.size)
        # whole words are read at once, or a count might be half an old one
        self.words = memoryview(self.memory).cast("Q")
        self.argv = [layout.victim, self.memory_file, str(seed), str(rounds),
                     str(pace)] + features
        self.popen = None
        self.descriptors = None
        self.may_be_interrupted = 0  # EINTRs that deaths may have cost

    # ---- shared memory ----

    def word_at(self, offset):
        return self.words[offset // 8]

    def __getitem__(self, name):
        return self.word_at(self.layout.words[name])

    def __setitem__(self, name, value):
        self.words[self.layout.words[name] // 8] = value

    def slots(self):
        """The threads that last: each as a dictionary."""
        slots = []
        for i in range(self.layout.slots):
            at = self.layout.slots_at + i * self.layout.slot_size
            if not self.word_at(at + self.layout.slot["tid"]):
                break
            slots.append({name: self.word_at(at + offset)
                          for name, offset in self.layout.slot.items()})
        return slots

    def calls(self, function, kinds):
        """(begun, returned, unwound) of a function, over kinds of processes."""
        sums = [0, 0, 0]
        for kind in kinds:
            at = self.layout.calls_at + 24 * (
                self.layout.kinds.index(kind) * len(self.layout.functions)
                + self.layout.functions.index(function))
            for i in range(3):
                sums[i] += self.word_at(at + 8 * i)
        return tuple(sums)

    def all_calls(self, kinds):
        return {f: self.calls(f, kinds) for f in self.layout.functions}

    def entries(self):
        return sum(self.calls(f, self.layout.kinds)[0]
                   for f in self.layout.functions)

    def faults(self):
        lines = []
        for i in range(min(self["bad"], self.layout.faults)):
            at = self.layout.faults_at // 8 + i * self.layout.fault_words
            number, line, got, wanted, tid = self.words[at:at + 5]
            lines.append("file %d line %d (thread %d): %#x, not %#x"
                         % (number, line, tid, got, wanted))
        return lines

    # ---- life ----

    def start(self):
        with open(os.path.join(self.folder, "victim.log"), "wb") as log:
            self.popen = subprocess.Popen(
                self.argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)
        self.wait_ready()
        # every thread is set up, and the leader gone, if it goes
        self.check_going_on()
        if "leader" in self.features:
            wait_until(lambda: (self.status(self.pid, "State") or "Z")[0]
                       == "Z", "the end of the leader")

    def wait_ready(self):
        wait_until(lambda: self["ready"] or not self.is_alive(),
                   "the victim starts")
        if not self.is_alive():
            raise Harm(self.how_it_ended())

    @property
    def pid(self):
        return self["pid"] or (self.popen.pid if self.popen else 0)

    def is_alive(self):
        if self.popen and self.popen.pid == self.pid:
            return self.popen.poll() is None
        if not self.pid:
            return True  # it is on its way
        try:
            with open("/proc/%d/stat" % self.pid) as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            return False
        # a leader that ended before its threads is a zombie with threads
        return fields[0] not in "ZX" or int(fields[17]) > 1

    def how_it_ended(self):
        status = self.popen.returncode if self.popen else None
        how = "status %s" % status
        if status is not None and status < 0:
            how = "signal %d" % -status
        return "; ".join(["dead: " + how] + self.faults())

    def kill(self):
        """End it and its children: they are a session of their own."""
        for pid in {self.popen.pid if self.popen else 0, self["pid"]} - {0}:
            for end in (os.killpg, os.kill):
                try:
                    end(pid, signal.SIGKILL)
                except OSError:
                    pass
        if self.popen:
            self.popen.wait()

    def close(self):
        self.kill()
        self.words.release()
        self.memory.close()

    # ---- is it well? ----

    def live_threads(self):
        return [s for s in self.slots() if not s["over"]]

    def check_alive(self):
        if not self.is_alive():
            raise Harm(self.how_it_ended())
        if self["bad"]:
            raise Harm("; ".join(["bad %d" % self["bad"]] + self.faults()))

        if self["interrupted"] > self.may_be_interrupted:
            raise Harm("%d waits saw EINTR" % self["interrupted"])

    def processes(self):
        """(process, thread) of those that last: it, and its own children."""
        return [(self.pid, self.a_thread())] + [
            (slot["child"], slot["child"]) for slot in self.live_threads()
            if slot["child"]]

    def a_thread(self):
        """One that is there: the leader may have ended."""
        threads = self.live_threads()
        return threads[0]["tid"] if threads else self.pid

    def status(self, tid, *names):
        """Fields of /proc, None if the thread is no more."""
        try:
            with open("/proc/%d/status" % tid) as file:
                text = file.read()
        except OSError:
            return None
        return [re.search(r"^%s:\s*(\S+)" % n, text, re.M).group(1)
                for n in names]

    def catches_trap(self, tid):
        caught, = self.status(tid, "SigCgt") or ["0"]
        return bool(int(caught, 16) >> 4 & 1)

    def check_going_on(self):
        """Every thread makes progress, and nothing was amiss so far."""
        before = self.slots()

        def advanced():
            self.check_alive()
            return not stuck()

        def stuck():
            return [s["tid"] for s, was in zip(self.slots(), before)
                    if not s["over"] and s["beat"] <= was["beat"]] + [
                s["child"] for s, was in zip(self.slots(), before)
                if s["child"] and s["child_beat"] <= was["child_beat"]]

        try:
            wait_until(advanced, "progress of all threads")
        except Harm as harm:
            raise Harm("%s%s" % (harm, "".join(
                "\n%d: %s %s" % (tid, self.status(
                    tid, "State", "TracerPid", "SigPnd", "ShdPnd", "SigBlk"),
                    self.where(tid)) for tid in stuck())))

    def where(self, tid):
        try:
            with open("/proc/%d/syscall" % tid) as file:
                return file.read().strip()
        except OSError as error:
            return str(error)

    def check_threads(self):
        """No thread is stopped, traced, or has SIGTRAP blocked for us."""
        wants = {s["tid"]: s["blocks_trap"] for s in self.slots()}

        def amiss(tid):
            fields = self.status(tid, "State", "TracerPid", "SigBlk")
            if not fields or fields[0] in "ZX":
                return None
            state, tracer, blocked = fields
            if state in "tT":
                return "thread %d is stopped (%s)" % (tid, state)
            if tracer != "0":
                return "thread %d is traced by %s" % (tid, tracer)
            # libc blocks all signals for moments, as it starts threads
            if int(blocked, 16) >> 4 & 1 and not wants.get(tid):
                return "thread %d blocks SIGTRAP" % tid
            return None

        try:
            tids = [int(tid) for pid, _ in self.processes()
                    for tid in os.listdir("/proc/%d/task" % pid)]
        except OSError:
            raise Harm(self.how_it_ended())
        for tid in tids:
            what = amiss(tid)
            if what:
                wait_until(lambda: not amiss(tid), what, limit=5)

    def hold(self):
        """Close the gate; returns when no work is under way and every signal
        that was sent has been received."""
        self["gate"] = 0

        def settled():
            self.check_alive()
            return not self["active"] and not self.signals_on_their_way()

        try:
            wait_until(settled, "rest")
        except Harm as harm:
            raise Harm("%s: active %d, signals %s\n%s" % (
                harm, self["active"], self.signals_on_their_way(),
                "\n".join("%d: %s" % (s["tid"], self.where(s["tid"]))
                          for s in self.live_threads())))

    def signals_on_their_way(self):
        pairs = (("sent", "received"), ("queued", "dequeued"),
                 ("waited_sent", "waited_received"))
        return [(s["tid"], a, s[a], s[b]) for s in self.live_threads()
                for a, b in pairs if s[a] != s[b]]

    def foreign_code(self, pid, tid):
        """What of the executable memory is not as in the files."""
        found = []
        for low, high, access, offset, path in read_maps(pid, tid):
            if "x" not in access or not path.startswith("/") \
                    or path.startswith("/memfd:"):
                continue
            now = memory_of(pid, tid, low, high)
            fd = os.open(path, os.O_RDONLY)
            was = os.pread(fd, high - low, offset)
            os.close(fd)
            was += bytes(len(now) - len(was))
            if now != was:
                at = first_difference(now, was)
                found.append("%s+%#x: %02x, not %02x" % (
                    path, offset + at, now[at], was[at]))
        if vdso_of(pid, tid) != vdso_of(os.getpid(), os.getpid()):
            found.append("the vdso")
        return found

    def memfds(self, pid, tid):
        """(mappings, descriptors) that name a memfd."""
        mappings = sum(path.startswith("/memfd:") for *_, path
                       in read_maps(pid, tid))
        folder = "/proc/%d/task/%d/fd" % (pid, tid)
        descriptors = 0
        for fd in os.listdir(folder):
            try:
                descriptors += "memfd:" in os.readlink(
                    os.path.join(folder, fd))
            except OSError:
                pass  # closed meanwhile
        return mappings, descriptors

    def mappings_of(self, path):
        return sum(p.startswith(path) for *_, p
                   in read_maps(self.pid, self.a_thread()))

    def count_descriptors(self):
        return len(os.listdir("/proc/%d/task/%d/fd"
                              % (self.pid, self.a_thread())))

    def check_clean(self, catches=False):
        """Nothing of a tool is left. The gate is closed meanwhile."""
        self.hold()
        mappings = 0
        for pid, tid in self.processes():
            foreign = self.foreign_code(pid, tid)
            if foreign:
                raise Harm("code left behind in %d: %s"
                           % (pid, "; ".join(foreign)))
            if self.catches_trap(tid) != catches:
                raise Harm("the disposition of SIGTRAP in %d is another one"
                           % pid)
            mapped, descriptors = self.memfds(pid, tid)
            mappings += mapped
            if descriptors:
                raise Harm("%d descriptors of memfds left open in %d"
                           % (descriptors, pid))
        count = self.count_descriptors()
        if self.descriptors is None:
            self.descriptors = count
        elif count != self.descriptors:
            raise Harm("%d descriptors open, not %d"
                       % (count, self.descriptors))
        return mappings
