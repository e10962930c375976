"""switches.py - breakpoints that come and go while four threads run into them

One trial: a victim with four workers, signals and a random mixture of features,
and one perftool that is told by its standard input, all the time, to set,
disable, enable and delete breakpoints of random mechanisms, to change the
mechanism of all, to stop the victim and let it go on, to let go of it and
attach anew. The victim runs meanwhile.

Some nodes are kept, in functions where others come and go. What a node counts
is known between two moments when the victim rests (the gate is closed): there
it must be the victim's own count. At other moments it is between what was
certain and what was possible.
"""

import json
import random

from counts import FEATURES, OWN_TRAPS, Follow, pick_functions
from tool import Tables, Tool
from victims import Harm, Victim, Wrong

SIGNALS = ["timer", "tgkill", "queue", "suspend"]
MECHANISMS = ["auto", "fast", "fast", "int3"]
MOST_NODES = 12   # that come and go, at once
MOST_MEMFDS = 24  # mappings that may stay for later tools
RINGS = "/memfd:perftool-rings"


class Moment:
    """What the victim had counted, before and after something was done."""

    def __init__(self, before, after):
        self.before, self.after = before, after


class Node:
    """A breakpoint, and how often it must have been reached."""

    def __init__(self, number, function, kind, never=False):
        self.number, self.function, self.kind = number, function, kind
        self.never = never  # its condition is false
        self.base = self.least = self.most = 0
        self.since = None   # a Moment: it is on since then

    def during(self, now):
        """(least, most) that it has counted since it was put on."""
        if not self.since:
            return 0, 0
        first, second = self.since.before, self.since.after
        third, last = now.before, now.after
        first, last = (x["possible"][self.function] for x in (first, last))
        second, third = (x["certain"][self.function] for x in (second, third))
        if self.kind == "entry":
            return (max(third[1] + third[2] - second[0], 0),
                    last[0] - first[1] - first[2])
        return (max(third[1] - second[0], 0),
                last[0] - last[2] - first[1])

    def put_on(self, moment):
        self.since = moment

    def take_off(self, moment):
        least, most = self.during(moment)
        self.least += least
        self.most += most
        self.since = None

    def bounds(self, now):
        """(least, most) of its count."""
        if self.never:
            return 0, 0
        least, most = self.during(now)
        return least + self.base + self.least, most + self.base + self.most

    def check(self, count, bounds):
        """What is wrong with its count, if anything."""
        least, most = bounds
        if least <= count <= most:
            return None
        return "%s of %s (%d): %d, not %s" % (
            self.kind, self.function, self.number, count,
            least if least == most else "%d to %d" % (least, most))

    def begin_anew(self, count, moment):
        """The victim rests: from here on it is known."""
        self.base, self.least, self.most = count, 0, 0
        if self.since:
            self.since = moment


class Switching:
    def __init__(self, context, seed):
        self.rng = rng = random.Random(seed)
        self.context, self.folder = context, context.folder
        features = [rng.choice(SIGNALS)]
        features += [f for f in rng.sample(FEATURES, rng.randint(0, 4))
                     if f not in features]
        if rng.random() < 0.2:
            features.append("leader")
        if rng.random() < 0.1:
            features.append(rng.choice(OWN_TRAPS))
        self.features = ["worker=4"] + features
        self.follow = Follow(rng)
        self.functions = pick_functions(rng, self.features)
        self.kept = rng.sample(self.functions, rng.randint(1, 2))
        self.steps = 5 + int(rng.choice((1, 2, 3)) * context.scale)
        self.pace = rng.choice((0, 0, 50, 200))
        self.seed = rng.randrange(1 << 30)
        self.quiet = self.children_known = self.attached_quietly = True
        self.attached = False
        self.kept_nodes, self.nodes, self.disabled = [], [], []
        self.before_legs = {}
        self.told_hits = 0
        self.victim = None
        self.tool = Tool(context, self.folder)

    def set_features(self, features):
        self.features = features

    def describe(self):
        return "functions %s, kept %s, follow fork %s exec %s: %s" % (
            " ".join(self.functions), " ".join(self.kept), self.follow.fork,
            self.follow.exec, " ".join(self.victim.argv if self.victim else []))

    def run(self):
        self.victim = victim = Victim(self.context.layout, self.folder,
                                      self.seed, self.features,
                                      pace=self.pace)
        try:
            victim.start()
            victim.check_clean(catches="trap" in self.features)
            self.tool.start_talking(["-n"])
            self.tool.tell(self.follow.commands() + ["monitor on"])
            self.attach()
            self.keep_nodes()
            for _ in range(self.steps):
                if self.context.is_over():
                    break
                self.step()
                victim.check_alive()
            # whatever came before, the last stretch is known
            self.rest()
            self.audit()
            self.work()
            self.do_wait()
            self.rest()
            self.audit()
            self.detach()
            self.tool.tell(["quit"], answered=False)
            self.tool.expect_success(self.tool.wait())
        finally:
            self.tool.kill()
            victim.close()

    # ---- what the victim knows ----

    def counts(self):
        """Calls by function: those of whom the tool may know, and must."""
        kinds = self.follow.kinds()
        certain = kinds if self.children_known else ["main"]
        return {"possible": self.victim.all_calls(kinds),
                "certain": self.victim.all_calls(certain)}

    def tell(self, commands):
        """Have them done; the Moment, and what was answered."""
        before = self.counts()
        answer = self.tool.tell(commands)
        return Moment(before, self.counts()), answer

    def rest(self):
        if not self.quiet:
            self.victim.hold()
        self.quiet = True

    def work(self):
        self.victim["gate"] = 1
        self.quiet = False

    # ---- nodes ----

    def keep_nodes(self):
        """At entry and exit, to the end; some with a leg of their own."""
        for function in self.kept:
            self.add(function, "entry")
            self.add(function, "exit")
            first, second = self.nodes[-2:]
            if self.rng.random() < 0.5:
                self.tell(["add leg %d %d match=nested"
                           % (first.number, second.number)])
        self.kept_nodes = list(self.nodes)
        del self.nodes[:]

    def all_nodes(self):
        return self.kept_nodes + self.nodes + self.disabled

    def add(self, function=None, kind=None):
        rng = self.rng
        function = function or rng.choice(self.functions)
        never = not kind and rng.random() < 0.1
        kind = kind or rng.choice(("entry", "exit"))
        words = "break %s %s" % (kind, function)
        if rng.random() < 0.7:
            words += " mechanism=" + rng.choice(MECHANISMS)
        moment, answer = self.tell([words + " if %d" % (not never)])
        node = Node(self.tool.number_in(answer), function, kind, never)
        node.put_on(moment)
        self.nodes.append(node)
        self.context.switches += 1

    def some(self, nodes):
        """Take some out of a list of nodes."""
        some = self.rng.sample(nodes, min(len(nodes), self.rng.randint(1, 4)))
        for node in some:
            nodes.remove(node)
        return some

    def switch(self, command, nodes):
        moment, _ = self.tell([command + "".join(" %d" % n.number
                                                 for n in nodes)])
        self.context.switches += len(nodes)
        return moment

    # ---- steps ----

    def step(self):
        rng = self.rng
        steps = [self.do_add] * 4 + [self.do_delete, self.do_disable,
                                     self.do_enable] * 2
        steps += [self.do_mechanism, self.do_leg, self.do_wait, self.do_stop,
                  self.do_rest, self.do_audit, self.do_attach]
        if not self.quiet and rng.random() < 0.2:
            # what comes next comes while nothing happens
            self.rest()
        elif self.quiet and rng.random() < 0.7:
            self.work()
        rng.choice(steps)()

    def do_add(self):
        if len(self.nodes) + len(self.disabled) < MOST_NODES:
            self.add()
        else:
            self.do_delete()

    def do_delete(self):
        nodes = self.some(self.rng.choice((self.nodes, self.disabled)))
        if nodes:
            # what they have counted is told now; after that it stays
            moment = self.switch("delete", nodes)
            for node in nodes:
                if node.since:
                    node.take_off(moment)
            self.audit(nodes)

    def do_disable(self):
        nodes = self.some(self.nodes)
        if nodes:
            moment = self.switch("disable", nodes)
            for node in nodes:
                node.take_off(moment)
            self.disabled += nodes

    def do_enable(self):
        nodes = self.some(self.disabled)
        if nodes:
            moment = self.switch("enable", nodes)
            for node in nodes:
                node.put_on(moment)
            self.nodes += nodes

    def do_mechanism(self):
        self.tell(["set mechanism " + self.rng.choice(MECHANISMS)])
        self.context.switches += len(self.all_nodes())

    def do_leg(self):
        """Nodes that are deleted one by one have legs."""
        if len(self.nodes) >= 2:
            self.tell(["add leg %d %d" % tuple(
                n.number for n in self.rng.sample(self.nodes, 2))])

    def do_wait(self):
        self.tell(["continue for %dms" % self.rng.choice((1, 5, 20))])

    def do_stop(self):
        """A breakpoint that stops it, and with it those at the same place."""
        if self.quiet:
            return
        _, answer = self.tell(["break entry " + self.rng.choice(
            self.functions)])
        number = self.tool.number_in(answer)
        self.tell(["shell sleep %g" % self.rng.choice((0, 0.002, 0.01))])
        self.rng.choice((self.do_add, self.do_mechanism, self.do_disable,
                         self.do_enable))()
        self.tell(["delete %d" % number, "continue for 1ms"])
        self.context.switches += 2

    def do_rest(self):
        self.rest()
        self.audit()

    def do_audit(self):
        self.audit()

    def do_attach(self):
        if self.rng.random() < 0.5:
            self.rest()
        self.detach()
        self.victim.check_going_on()
        if self.rng.random() < 0.5:
            self.work()
        self.attach()

    # ---- attaching, and letting go ----

    def attach(self):
        self.children_known = self.attached_quietly = self.quiet
        moment, _ = self.tell(["attach %d" % self.victim.pid])
        self.attached = True
        self.context.attached += 1
        for node in self.kept_nodes + self.nodes:
            node.put_on(moment)

    def detach(self):
        victim = self.victim
        moment, _ = self.tell(["detach"])
        self.attached = False
        for node in self.kept_nodes + self.nodes:
            node.take_off(moment)
        victim.check_threads()
        if self.quiet:
            mappings = victim.check_clean(catches="trap" in self.features)
            self.context.memfds = max(self.context.memfds, mappings)
            if mappings > MOST_MEMFDS:
                raise Harm("%d mappings of memfds" % mappings)
            # one that waited for its vfork child at the last detach kept its
            # ring; who attaches while it rests unmaps that
            if self.attached_quietly and victim.mappings_of(RINGS):
                raise Harm("the rings are still mapped")

    # ---- checks ----

    def audit(self, nodes=None):
        """What the tables say of nodes, and whether it can be."""
        # of a program that runs tables are some milliseconds old; a command
        # that looks at it stops it, and what it has done by then is known
        moment, _ = self.tell(["evaluate 0",
                               "save tables " + self.tool.report])
        with open(self.tool.report) as file:
            report = json.load(file)
        tables = Tables(report)
        wrong = tables.broken_rules(self.before_legs)
        for node in nodes or self.all_nodes():
            row = tables.by_id.get(node.number)
            # never reached, it need not be a node yet
            count = int(row["count"]) if row else 0
            bounds = node.bounds(moment)
            self.context.counts += 1
            self.context.exact += bounds[0] == bounds[1]
            problem = node.check(count, bounds)
            if problem:
                wrong.append(problem)
            if self.quiet and not nodes:
                node.begin_anew(count, moment)
            self.note_mechanism(row)
        if wrong:
            raise Wrong("; ".join(wrong))
        if self.quiet and not nodes and self.attached:
            # who was a child of the victim before it was attached to is gone
            self.children_known = True
            for node in self.all_nodes():
                if node.since:
                    counts = self.counts()
                    node.since = Moment(counts, counts)
        self.context.hits += tables.hits() - self.told_hits
        self.told_hits = tables.hits()

    def note_mechanism(self, row):
        if row and row["mechanism"] == "fast":
            self.context.seen_fast += 1
        elif row and row["mechanism"] == "int3":
            self.context.seen_int3 += 1
