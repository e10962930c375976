"""A comparison of saved tables: what a lab's expected.py asks of it."""
import os

from checking.fields import Damaged, count_of, field
from checking.words import number, shown

FIGURES = ("count", "total", "mean", "p50", "p99")


class File:
    """A report that takes part."""

    def __init__(self, row):
        self.name = os.path.basename(field(row, "file", str))
        self.program = os.path.basename(field(row, "program", str, None) or "")
        self.runs = count_of(row, "runs")
        self.failed = count_of(row, "failed_runs")


class Figure:
    def __init__(self, row):
        self.before = field(row, "before", float, None)
        self.after = field(row, "after", float, None)
        self.difference = field(row, "difference", float, None)
        self.percent = field(row, "difference_percent", float, None)
        self.verdict = field(row, "verdict", str, None)

    def contradiction(self):
        if self.before is None or self.after is None or self.difference is None:
            return None
        if abs(self.after - self.before - self.difference) > 1 + 1e-6 * abs(self.before):
            return "the difference is not that of the two values"
        if self.percent is not None and self.before \
                and abs(self.difference / self.before * 100 - self.percent) > 0.1 + 1e-3 * abs(self.percent):
            return "the difference in percent is not that of the two values"
        if self.verdict == "faster" and self.difference > 0 or self.verdict == "slower" and self.difference < 0:
            return "its verdict is not that of its difference"
        return None


class Leg:
    def __init__(self, row):
        self.name = field(row, "name", str)
        self.basis = field(row, "basis", str, None)
        figures = field(row, "figures", dict)
        self.figures = {name: Figure(field(figures, name, dict)) for name in FIGURES}


class Pair:
    """The first file and one of the others."""

    def __init__(self, row):
        self.before = File(field(row, "before", dict))
        self.after = File(field(row, "after", dict))
        self.legs = [Leg(leg) for leg in field(row, "legs", list)]

    def leg(self, name):
        legs = [leg for leg in self.legs if leg.name == name]
        return legs[0] if legs else None


class Comparison:
    def __init__(self, value):
        self.pairs = [Pair(pair) for pair in field(value, "comparisons", list)]
        if not self.pairs:
            raise Damaged("nothing is compared")

    def sound(self, lab, missing):
        """Is the lab's program what the others are compared with? Says why if it is not."""
        program = self.pairs[0].before.program
        if program != lab["PROGRAM"]:
            missing("What came first is a report about the program %s. Lab %s compares `%s` with the others: name its "
                    "report first." % (shown(program or None), lab["NUMBER"], lab["PROGRAM"]))
            return False
        for pair in self.pairs:
            for leg in pair.legs:
                for name, figure in leg.figures.items():
                    why = figure.contradiction()
                    if why:
                        missing("The figure %s of the leg %s contradicts itself: %s. Hand in the file as perftool has "
                                "written it." % (name, shown(leg.name), why))
                        return False
        return True

    def files(self):
        """Every file that takes part, the first one once."""
        return [self.pairs[0].before] + [pair.after for pair in self.pairs]

    def repeated(self, runs, missing):
        """Was each of them measured over so many runs?"""
        for file in self.files():
            if file.failed:
                missing("%s of the runs in %s have failed. Measure again." % (number(file.failed), shown(file.name)))
                return False
            if file.runs < runs:
                missing("The report %s is about %s. One run tells nothing about how much runs differ: measure %d of "
                        "each program (`-r %d`)." % (shown(file.name), "one run" if file.runs == 1 else
                                                      number(file.runs) + " runs", runs, runs))
                return False
        return True
