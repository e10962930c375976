"""deaths.py - the tool is killed, its victim is not to notice

One campaign: a victim with a random mixture of features, and many tools that
die on it one after another: at random moments, or before the Nth of the calls
by which a tool acts on others (die.c), for N from 1 on until none is left.
After each death the victim goes on, or it was harmed; then another tool cleans
up - sometimes it is killed too - and the victim is as it was at first.
"""

import random
import re

from counts import pick_functions
from tool import Tool
from victims import Harm, Victim, Wrong, wait_until

FEATURES = ["timer", "tgkill", "queue", "suspend", "waits", "fork", "orphan",
            "vfork", "system", "stop", "amid", "childleader", "churn",
            "coroutine", "cancel", "loader"]
# calibrated: launched, up to the end of the first calibration
WAYS = ["attaching", "leaving", "running", "random", "random", "launched",
        "launching", "calibrated"]
CALLS_AT_ITS_END = 10
SAYS_SO = re.compile(r"that a perftool left when it died")
# Mappings of a process that stay for later tools: areas of slots and of
# trampolines, some of them beside the program and some beside its libraries. A
# tool that finds a thread that it cannot stop (in vfork) leaves more of them;
# the next tools take these away.
MOST_MEMFDS = 12
MOST_CLEANINGS = 5
# What an attached tool records besides the times.
PROFILES = (), ("profile functions *",), ("spy rate 997", "spy on"), \
    ("profile on", "profile calls *", "spy watch breaks", "spy break work",
     "spy on")


class Campaign:
    def __init__(self, context, seed, way=None, stride=1, most=40):
        self.rng = rng = random.Random(seed)
        self.context, self.folder = context, context.folder
        self.way = way or rng.choice(WAYS)
        self.stride, self.most = stride, most
        if self.way == "calibrated":
            self.stride = 1
        self.features = ["worker=%d" % rng.choice((1, 2, 4))]
        self.features += rng.sample(FEATURES, rng.randint(1, 6))
        if rng.random() < 0.15:
            self.features.append("leader")
        self.functions = pick_functions(rng, self.features)
        self.seed = rng.randrange(1 << 30)
        # (not from rng, so that a seed from before is the same trial)
        self.profiles = random.Random("%s profiles" % seed).choice(PROFILES)
        self.victim = None
        self.tool = Tool(context, self.folder)
        self.cleaner = Tool(context, self.folder, "cleaner")
        self.next = rng.randint(1, self.stride)
        self.cycle = 0

    def describe(self):
        return "%s, cycle %d, call %d, functions %s, profiles %s: %s" % (
            self.way, self.cycle, self.next, " ".join(self.functions),
            ", ".join(self.profiles) or "none",
            " ".join(self.victim.argv) if self.victim else "")

    def set_features(self, features):
        self.features = features

    def new_victim(self):
        return Victim(self.context.layout, self.folder, self.seed,
                      self.features, pace=300)

    def run(self):
        try:
            if self.way in ("launched", "launching", "calibrated"):
                self.run_launched()
            else:
                self.run_attached()
        finally:
            if self.victim:
                self.context.interrupted += self.victim["interrupted"]
            for tool in (self.tool, self.cleaner):
                tool.kill()
            if self.victim:
                self.victim.close()

    # ---- a long life amid deaths ----

    def run_attached(self):
        victim = self.victim = self.new_victim()
        victim.start()
        victim.check_clean()  # what is open at first
        victim["gate"] = 1
        for self.cycle in range(self.how_many()):
            if self.context.is_over():
                break
            died = self.attach_and_die()
            victim.check_going_on()
            victim.check_threads()
            # often the next tool is the one that finds the leftovers
            if not died or self.way != "random" or self.rng.random() < 0.5:
                self.clean(died)
            if not died and self.way in ("attaching", "leaving"):
                self.context.enumerated += 1
                if self.stride == 1:
                    break
                self.next = self.rng.randint(1, self.stride)
            else:
                self.next += self.stride

    def how_many(self):
        """Deaths: an enumeration goes on until it is through, once."""
        enumerates = self.way in ("attaching", "leaving")
        return 5000 if enumerates and self.stride == 1 else self.most

    def attach_and_die(self):
        tool, rng = self.tool, self.rng
        script = tool.script([
            "attach %d" % self.victim.pid,
            "time " + " ".join(self.functions), *self.profiles,
            tool.mark("attached"),
            "continue for %dms" % rng.choice((1, 5, 20)),
            tool.mark("leaving"), "detach"])
        words = ["-q", "-n", "-x", script]
        number = str(self.next)
        if self.way == "random":
            tool.start(words)
            status = tool.kill_within(rng.random() ** 2 * 0.25)
        else:
            death = {"DIE_BEFORE": number}
            if self.way == "attaching":
                death["DIE_UNTIL"] = tool.file("attached")
            elif self.way == "leaving":
                death["DIE_FROM"] = tool.file("leaving") + ",interrupt"
            else:
                death.update(DIE_FROM=tool.file("attached"),
                             DIE_BEFORE=str(rng.randint(1, 400)))
            tool.start(words, death)
            status = tool.wait()
        return self.has_died(tool, status)

    def has_died(self, tool, status):
        if status == -9:
            self.context.deaths += 1
            # The kernel ends some waits with EINTR at any stop; a tool that
            # dies between the stop and making that good leaves it at that,
            # once a thread.
            if self.victim:
                self.victim.may_be_interrupted += \
                    self.features.count("waits") + \
                    self.features.count("suspend")
            return True
        tool.expect_success(status)
        return False

    # ---- a launched victim ----

    def run_launched(self):
        enumerates = self.way == "launching" and self.stride == 1
        most = 5000 if enumerates else CALLS_AT_ITS_END \
            if self.way == "calibrated" else max(self.most // 8, 2)
        for self.cycle in range(most):
            if self.context.is_over():
                break
            victim = self.victim = self.new_victim()
            victim["gate"] = 1
            was_ready = self.launch_and_die()
            victim.wait_ready()
            victim.check_going_on()
            victim.check_threads()
            self.clean(True)
            victim.check_going_on()
            victim.close()
            self.victim = None
            if enumerates and was_ready:
                self.context.enumerated += 1
                break
            self.next += self.stride

    def launch_and_die(self):
        tool, rng, victim = self.tool, self.rng, self.victim
        script = tool.script(
            ["set exit-kill off", "file " + victim.argv[0],
             "args " + " ".join(victim.argv[1:]),
             "time " + " ".join(self.functions), "run"])
        death = None
        if self.way == "launching":
            death = {"DIE_FROM": "cont", "DIE_BEFORE": str(self.next)}
        elif self.way == "calibrated":
            death = {"DIE_FROM": "poke,mask", "DIE_BEFORE": str(self.next)}
        elif rng.random() < 0.5:
            death = {"DIE_FROM": "cont",
                     "DIE_BEFORE": str(rng.randint(100, 3000))}
        tool.start(["-q", "-n", "-x", script], death)
        wait_until(lambda: victim["ready"] or tool.popen.poll() is not None,
                   "the victim is launched", Wrong)
        was_ready = tool.popen.poll() is None
        status = tool.kill_within(rng.random() * 0.2)
        if not self.has_died(tool, status):
            raise Wrong("perftool ended by itself")
        return was_ready

    # ---- cleaning up ----

    def clean(self, died):
        victim, rng = self.victim, self.rng
        words = ["-n", "-p", str(victim.pid), "-e", "detach"]
        while died and rng.random() < 0.2:
            self.cleaner.start(words, {"DIE_BEFORE": str(rng.randint(1, 300))})
            if self.has_died(self.cleaner, self.cleaner.wait()):
                self.context.cleaner_deaths += 1
            victim.check_going_on()
            victim.check_threads()
        victim.hold()
        left = victim.foreign_code(victim.pid, victim.a_thread())
        victim["gate"] = 1
        self.cleaner.start(words)
        self.cleaner.expect_success(self.cleaner.wait())
        said = self.cleaner.error_text()
        if any("/" in what for what in left) and not SAYS_SO.search(said):
            raise Wrong("leftovers (%s) were not told: %s"
                        % ("; ".join(left), said.strip()[-300:]))
        for _ in range(MOST_CLEANINGS):
            victim.check_going_on()
            victim.check_threads()
            mappings = victim.check_clean()
            most = MOST_MEMFDS * len(victim.processes())
            victim["gate"] = 1
            self.context.cleaned += 1
            if mappings <= most:
                break
            self.cleaner.start(words)
            self.cleaner.expect_success(self.cleaner.wait())
        else:
            raise Harm("%d mappings of memfds, after %d perftools that "
                       "detached" % (mappings, MOST_CLEANINGS))
        self.context.memfds = max(self.context.memfds, mappings)
