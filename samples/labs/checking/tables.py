"""The tables of a report: what a lab's expected.py asks of them.

Nothing here compares a time with a figure: times are compared with other times of
the same report, and counts are exact.
"""
import os

from checking.fields import Damaged, count_of, field, time_of
from checking.words import listed, number, shown

# A node at any of these places is at the beginning, or at the end, of a function.
BEGINNINGS = ("entry", "function")
ENDS = ("exit", "return")


class Node:
    def __init__(self, row):
        self.id = field(row, "id", int)
        self.kind = field(row, "kind", str)
        self.location = field(row, "location", str)
        self.function = field(row, "function", str, None)
        self.condition = field(row, "condition", str, None)
        self.count = count_of(row, "count")

    def begins(self, function):
        return self.function == function and self.kind in BEGINNINGS

    def ends(self, function):
        return self.function == function and self.kind in ENDS

    def place(self):
        word = {"function": "beginning"}.get(self.kind, self.kind)
        return "the %s of %s()" % (word, self.function) if self.function and self.kind in BEGINNINGS + ENDS \
            else "%s %s" % (self.kind, shown(self.location))


class Row:
    """Executions of a leg that have one value."""

    def __init__(self, row):
        self.kind = field(row, "kind", str)
        self.value = field(row, "value", str, float, None)
        self.count = count_of(row, "count")
        self.total = field(row, "total_ns", float)
        self.min = time_of(row, "min_ns")
        self.p50 = time_of(row, "p50_ns")
        self.p90 = time_of(row, "p90_ns")
        self.max = time_of(row, "max_ns")


class Leg:
    def __init__(self, row, nodes):
        self.id = field(row, "id", int)
        self.name = field(row, "name", str)
        self.start = nodes.get(field(row, "from", int))
        self.end = nodes.get(field(row, "to", int))
        if self.start is None or self.end is None:
            raise Damaged("a leg has no nodes")
        self.match = field(row, "match", str)
        self.owner = field(row, "owner", str)
        self.count = count_of(row, "count")
        self.begun = sum(count_of(row, name) for name in
                         ("count", "ignored_from", "unwound", "discarded", "open"))
        self.ended = self.count + count_of(row, "ignored_to")
        self.interrupted = count_of(row, "interrupted")
        self.total = field(row, "total_ns", float)
        self.cpu = time_of(row, "cpu_ns")
        self.waiting = time_of(row, "waiting_ns")
        self.mean = time_of(row, "mean_ns")
        self.min, self.max = time_of(row, "min_ns"), time_of(row, "max_ns")
        self.p50, self.p90 = time_of(row, "p50_ns"), time_of(row, "p90_ns")
        self.p99 = time_of(row, "p99_ns")
        by = field(row, "by", dict, None)
        self.by = by and field(by, "expression", str)
        self.rows = [Row(value) for value in field(by, "values", list)] if by else []

    def times(self, function):
        """Does it lead from the beginning of the function to its end?"""
        return self.start.begins(function) and self.end.ends(function)

    def route(self):
        return "from %s to %s" % (self.start.place(), self.end.place())

    def contradiction(self):
        """Why its figures cannot be what perftool has found; None: they can be."""
        if self.begun > self.start.count or self.ended > self.end.count:
            return "it has more executions than its nodes were reached"
        if self.mean is not None and self.count and \
                abs(self.mean * self.count - self.total) > 0.01 * abs(self.total) + self.count:
            return "its mean is not its total by its count"
        known = [t for t in (self.min, self.p50, self.p90, self.p99, self.max) if t is not None]
        if any(b < a - 0.02 * abs(a) - 2 for a, b in zip(known, known[1:])):
            return "its percentiles are not in order"
        if self.rows and sum(row.count for row in self.rows) != self.count:
            return "its rows do not add up to its count"
        return None


class Histogram:
    def __init__(self, row):
        self.of = field(row, "of", str)
        self.id = field(row, "id", int)
        self.form = field(row, "class", str)
        self.references = count_of(row, "references")
        self.buckets = [(time_of(bucket, "from"), time_of(bucket, "to"), count_of(bucket, "count"))
                        for bucket in field(row, "buckets", list)]
        self.outside = count_of(row, "underflow") + count_of(row, "overflow")

    def contradiction(self):
        if sum(count for _, _, count in self.buckets) + self.outside != self.references:
            return "its buckets do not add up to its references"
        return None


class Tables:
    def __init__(self, value):
        self.whole = value
        program = field(value, "program", dict)
        self.path = field(program, "path", str, None)
        self.args = field(program, "args", list, None)
        self.state = field(program, "state", str, None)
        self.exit_status = field(program, "exit_status", int, None)
        self.elapsed = time_of(field(value, "summary", dict), "elapsed_ns")
        self.breaks = count_of(field(value, "summary", dict), "breaks")
        self.nodes = {node.id: node for node in map(Node, field(value, "nodes", list))}
        self.legs = [Leg(row, self.nodes) for row in field(value, "legs", list)]
        self.histograms = [Histogram(row) for row in field(value, "histograms", list)]

    def sound(self, lab, missing):
        """Is it a whole measurement of the lab's program? Says why if it is not."""
        program = os.path.basename(self.path or "")
        if program != lab["PROGRAM"]:
            missing("The report is about the program %s. Lab %s measures `%s`."
                    % (shown(program or None), lab["NUMBER"], lab["PROGRAM"]))
            return False
        if not self.nodes and not self.legs and lab["NEEDS_LEGS"]:
            missing("The tables are empty: there is neither a node nor a leg. Give perftool the commands that the "
                    "page asks for, before the program runs.")
            return False
        if lab["ENDS"] and (self.state != "exited" or self.exit_status != 0):
            missing("The report was made before the program had ended, or the program failed (its state is %s). "
                    "Let it run to its end." % shown(self.state))
            return False
        changed = self.contradictions()
        for text in changed[:3]:
            missing(text + " Hand in the file as perftool has written it.")
        return not changed

    def contradictions(self):
        found = []
        for leg in self.legs:
            why = leg.contradiction()
            if why:
                found.append("The figures of the leg %s contradict each other: %s." % (shown(leg.name), why))
        for histogram in self.histograms:
            why = histogram.contradiction()
            if why:
                found.append("A histogram of %s %d contradicts itself: %s." % (histogram.of, histogram.id, why))
        if self.breaks < max([node.count for node in self.nodes.values()], default=0):
            found.append("A node has more hits than there were in all.")
        return found

    # ---- profiles, which are part of a report ------------------------------------

    def ticks(self):
        """{function: its own ticks}; None: the report has none."""
        if "flat" not in self.whole:
            return None
        rows = field(field(self.whole, "flat", dict), "functions", list)
        return {field(row, "function", str): count_of(row, "ticks") for row in rows} or None

    def function_calls(self):
        """{function: how often it was called}; None: nobody has counted."""
        if "functions" not in self.whole:
            return None
        rows = field(field(self.whole, "functions", dict), "functions", list)
        return {field(row, "function", str): count_of(row, "calls") for row in rows}

    # ---- what is there; each of these returns None if it is not, and says so ------

    def named(self, name, missing):
        """The leg that the student has called so."""
        legs = [leg for leg in self.legs if leg.name == name]
        if len(legs) == 1:
            return legs[0]
        if legs:
            missing("%d legs are named %s. Hand in a report in which one is." % (len(legs), shown(name)))
        else:
            missing("No leg is named %s. The legs of the report are: %s. `add leg FROM TO name=%s` names one."
                    % (shown(name), listed(leg.name for leg in self.legs), name))
        return None

    def timed(self, function, missing, but_not=None, **wanted):
        """A leg from the entry of the function to its return, with these attributes; one that is
        split, if there is one. The leg of the name `but_not` is for something else."""
        legs = [leg for leg in self.legs if leg.times(function) and leg.name != but_not
                and all(getattr(leg, name) == value for name, value in wanted.items())]
        if legs:
            return next((leg for leg in legs if leg.by), legs[0])
        missing("No leg times the calls of %s()%s. `time %s` makes one. The legs of the report are: %s."
                % (function, "".join(" with %s=%s" % pair for pair in wanted.items()), function,
                   listed(leg.name for leg in self.legs)))
        return None

    # ---- what is right; each of these returns whether it is, and says if not ------

    def leads(self, leg, start, end, missing):
        """Does the leg lead from the beginning of one function to that of another?"""
        if leg.start.begins(start) and leg.end.begins(end):
            return True
        missing("The leg %s leads %s. It should lead from the entry of %s() to the entry of %s()."
                % (shown(leg.name), leg.route(), start, end))
        return False

    def counted(self, leg, wanted, what, missing):
        """Has the leg as many executions as the program has made?"""
        if leg.count == wanted:
            return True
        why = "Is it the right place, and did perftool measure all of the run?"
        if leg.count == 0:
            why = "The program never got from its first node to its second one."
        elif leg.count > wanted and leg.count % wanted == 0:
            why = "Did the program run %d times? Begin anew, or give the command `zero tables` before the last " \
                "run." % (leg.count // wanted)
        elif leg.start.condition not in (None, "1") or leg.end.condition not in (None, "1"):
            why = "A condition leaves out some."
        missing("The leg %s has %s executions, and that is not %s. %s" % (shown(leg.name), number(leg.count), what, why))
        return False
