"""counts.py - random programs measured, every count compared with the truth

One trial: a random mixture of features, launched by the tool or attached to,
random functions, children followed or not.
"""

import random
import time

from tool import Tables, Tool
from victims import Harm, Victim, Wrong, wait_until

FEATURES = ["timer", "tgkill", "queue", "suspend", "waits", "fork", "orphan",
            "vfork", "spawn", "system", "stop", "execthread", "amid",
            "childleader", "churn", "coroutine", "cancel", "loader"]
# That take SIGTRAP for themselves, or block it: not when a tool dies.
OWN_TRAPS = ["trap", "blocked"]
WAYS = ["launch", "launch", "attach", "attach", "amid", "for"]


def pick_features(rng, most):
    features = ["worker=%d" % rng.choice((1, 1, 2, 4, 8))]
    features += rng.sample(FEATURES, rng.randint(0, most))
    if rng.random() < 0.2:
        features.append("leader")
    return features


def pick_functions(rng, features):
    names = ["f%d" % i for i in range(14)]
    # a library that never comes is an error of the request
    if "loader" in features:
        names.append("g0")
    return rng.sample(names, rng.randint(2, 8))


class Follow:
    def __init__(self, rng):
        self.fork = rng.random() < 0.7
        self.exec = rng.random() < 0.8

    def commands(self):
        return [c for c, on in (("set follow fork off", self.fork),
                                ("set follow exec off", self.exec)) if not on]

    def kinds(self):
        """Which processes' calls the tool is to count."""
        kinds = ["main"]
        if self.fork:
            kinds += ["forked", "amid"]
        if self.exec:
            kinds += ["again"]
        if self.fork and self.exec:
            kinds += ["spawned", "again-forked", "again-amid",
                      "again-spawned"]
        return kinds


class Trial:
    def __init__(self, context, seed):
        self.rng = rng = random.Random(seed)
        self.context, self.folder = context, context.folder
        self.way = rng.choice(WAYS)
        self.features = pick_features(rng, 6)
        self.follow = Follow(rng)
        if self.way == "launch" and rng.random() < 0.2:
            self.features.append("exec")
        if rng.random() < 0.15:
            self.features.append(rng.choice(OWN_TRAPS))
        self.functions = pick_functions(rng, self.features)
        self.amount = int(rng.choice((3, 10, 30)) * context.scale)
        self.seed = rng.randrange(1 << 30)
        self.victim = None
        self.tool = Tool(context, self.folder)

    def set_features(self, features):
        self.features = features

    def describe(self):
        return "%s, functions %s, follow fork %s exec %s: %s" % (
            self.way, " ".join(self.functions), self.follow.fork,
            self.follow.exec, " ".join(self.victim.argv if self.victim else []))

    def run(self):
        rounds = max(self.amount * 10, 1) if self.way == "launch" else 0
        self.victim = Victim(self.context.layout, self.folder, self.seed,
                             self.features, rounds)
        try:
            hits = getattr(self, "run_" + self.way)()
        finally:
            self.tool.kill()
            self.victim.close()
        return hits

    # ---- the ways ----

    def options(self):
        return ["-q", "-n", "-b", "-f", "json", "-o", self.tool.report]

    def run_launch(self):
        words = self.options()
        for command in self.follow.commands():
            words += ["-e", command]
        for function in self.functions:
            words += ["-t", function]
        self.victim["gate"] = 1
        self.tool.start(words + ["--"] + self.victim.argv)
        status = self.tool.wait()
        if self.victim["bad"]:
            raise Harm("; ".join(self.victim.faults()))
        if not self.victim["done"]:
            raise Harm("the victim did not come to its end (status %d): %s"
                       % (status, self.tool.error_text()[-600:]))
        self.tool.expect_success(status)
        return self.compare(self.exact())

    def attach(self):
        script = self.tool.script(
            self.follow.commands() + ["attach %d" % self.victim.pid,
                                      "time " + " ".join(self.functions),
                                      self.tool.mark("attached"), "continue"])
        self.tool.start(self.options() + ["-x", script])
        if not self.tool.wait_marked("attached"):
            self.tool.expect_success(self.tool.wait())
            raise Wrong("perftool ended before it measured")

    def work_for_a_while(self):
        """Until so many calls more have begun, or it has been long enough."""
        enough = self.victim.entries() + self.amount * 300
        limit = time.monotonic() + 10

        def done():
            self.victim.check_alive()
            return self.victim.entries() >= enough or time.monotonic() > limit

        wait_until(done, "work")

    def run_attach(self):
        """All the work is done between attach and detach: exact."""
        self.victim.start()
        # g0 is looked for when its library comes
        self.attach()
        self.victim["gate"] = 1
        self.work_for_a_while()
        self.victim.hold()
        self.tool.interrupt()
        self.tool.expect_success(self.tool.wait())
        bounds = self.exact()
        self.check_left_alone()
        return self.compare(bounds)

    def run_amid(self):
        """In the middle of work: between what was certain and possible."""
        kinds, victim = self.follow.kinds(), self.victim
        victim.start()
        victim["gate"] = 1
        first = victim.all_calls(kinds)
        self.attach()
        # children who were there before are not followed: only the victim's
        # own calls are certain
        second = victim.all_calls(["main"])
        self.work_for_a_while()
        third = victim.all_calls(["main"])
        self.tool.interrupt()
        status = self.tool.wait()
        last = victim.all_calls(kinds)
        self.tool.expect_success(status)
        self.check_left_alone()
        return self.compare(self.between(first, second, third, last))

    def run_for(self):
        """The same by --for, of which no beginning can be seen."""
        victim, kinds = self.victim, self.context.layout.kinds
        victim.start()
        victim["gate"] = 1
        wait_until(lambda: victim["libraries_loaded"]
                   or "loader" not in self.features, "a library")
        first = victim.all_calls(kinds)
        words = self.options() + ["-p", str(victim.pid), "--for", "200ms"]
        for function in self.functions:
            words += ["-t", function]
        self.tool.start(words)
        status = self.tool.wait()
        last = victim.all_calls(kinds)
        self.tool.expect_success(status)
        self.check_left_alone()
        return self.compare(self.between(first, last, first, last))

    def check_left_alone(self):
        """After a detach: as if nobody had been there."""
        victim = self.victim
        victim["gate"] = 1
        victim.check_going_on()
        victim.check_threads()
        victim.check_clean(catches="trap" in self.features)

    # ---- bounds: function -> (least, most) of entries, exits, legs ----

    def exact(self):
        bounds = {}
        for function in self.functions:
            begun, returned, unwound = self.victim.calls(
                function, self.follow.kinds())
            bounds[function] = ((returned + unwound, begun),
                                (returned, begun - unwound),
                                (returned, begun - unwound))
        return bounds

    def between(self, first, second, third, last):
        bounds = {}
        for f in self.functions:
            most = last[f][0] - first[f][1] - first[f][2]
            entries = (third[f][1] + third[f][2] - second[f][0], most)
            exits = (third[f][1] - second[f][0],
                     last[f][0] - last[f][2] - first[f][1])
            bounds[f] = (entries, exits, (0, min(entries[1], exits[1])))
        return bounds

    def compare(self, bounds):
        tables = Tables(self.tool.read_report())
        wrong = tables.broken_rules()
        self.context.hits += tables.hits()
        for function, (entries, exits, legs) in bounds.items():
            leg = tables.leg(function)
            for what, got, (least, most) in (
                    ("entries", tables.count(function, "entry"), entries),
                    ("returns", tables.count(function, "return"), exits),
                    ("executions", int(leg["count"]), legs)):
                self.context.counts += 1
                if not least <= got <= most:
                    wrong.append("%s of %s: %d, not %s" % (
                        what, function, got, least if least == most
                        else "%d to %d" % (least, most)))
        if wrong:
            raise Wrong("; ".join(wrong))
        return tables.hits()
