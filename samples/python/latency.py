#!/usr/bin/env python3
"""latency.py - plots how long calls of a function take, while the program runs

    samples/python/latency.py [--period S] [--pictures N] [--save FILE.png]
                              [--text] FUNCTION (-p PID | PROGRAM [ARG]...)

With matplotlib the plot is a window, or with --save a picture that is written
again after each period. Without matplotlib, without a display to show a window
on, or with --text, the plot is lines of text.
It uses the package perftool (src/library/python), which needs libperftool.
"""
import argparse
import math
import sys

import perftool


def rows_of(leg, per_decade=5):
    """The distribution in steps that are equal on a logarithmic scale:
    (seconds from which the step begins, calls)."""
    rows = {}
    for bucket in leg.buckets:
        step = math.floor(math.log10(max(bucket.start, 1e-9)) * per_decade)
        rows[step] = rows.get(step, 0) + bucket.count
    if not rows:
        return []
    return [(10 ** (step / per_decade), rows.get(step, 0))
            for step in range(min(rows), max(rows) + 1)]


def duration(seconds):
    for scale, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= scale:
            return f"{seconds / scale:.3g}{unit}"
    if seconds < 1e-9:
        # perftool subtracts its own cost: what is left of next to nothing may
        # be below 0.
        return "<1ns"
    return f"{seconds * 1e9:.3g}ns"


class Text:
    """Plots as lines of text."""

    WIDTH = 50

    def draw(self, leg):
        rows = rows_of(leg)
        if not rows:
            print(f"{leg.name}: 0 calls\n", flush=True)
            return
        most = max((count for _, count in rows))
        print(f"{leg.name}: {leg.count} calls, mean {duration(leg.mean)}, "
              f"p50 {duration(leg.quantile(0.5))}, "
              f"p99 {duration(leg.quantile(0.99))}")
        for start, count in rows:
            bar = "#" * math.ceil(count / most * self.WIDTH)
            print(f"{duration(start):>8} {count:10} {bar}")
        print(flush=True)

    def finish(self):
        pass


class NoWindow(Exception):
    """matplotlib can show no window here."""


class Plot:
    """Plots in a window of matplotlib, or into a file."""

    def __init__(self, path):
        import matplotlib
        if path:
            matplotlib.use("Agg")
        from matplotlib import pyplot
        self.pyplot, self.path = pyplot, path
        self.figure, self.axes = pyplot.subplots()
        # Without a display, matplotlib draws into memory, and shows nothing.
        canvas = self.figure.canvas
        if not path and not getattr(canvas, "required_interactive_framework",
                                    None):
            raise NoWindow

    def draw(self, leg):
        rows = rows_of(leg)
        self.axes.clear()
        self.axes.bar([start for start, _ in rows],
                      [count for _, count in rows], align="edge",
                      width=[start * 0.55 for start, _ in rows])
        self.axes.set_xscale("log")
        self.axes.set_xlabel("seconds")
        self.axes.set_ylabel("calls")
        self.axes.set_title(f"{leg.name}: {leg.count} calls, p99 "
                            f"{duration(leg.quantile(0.99))}")
        if self.path:
            self.figure.savefig(self.path)
        else:
            self.pyplot.pause(0.01)

    def finish(self):
        if not self.path:
            self.pyplot.show()


def make_plot(arguments):
    if not arguments.text:
        try:
            return Plot(arguments.save)
        except ImportError:
            if arguments.save:
                sys.exit("latency.py: --save needs matplotlib "
                         "(python3-matplotlib)")
        except NoWindow:
            print("latency.py: there is no display for a window, so the plot "
                  "is text; --save FILE.png makes a picture",
                  file=sys.stderr)
    return Text()


def parse(words):
    """The options may stand before FUNCTION and behind it; what stands behind
    PROGRAM is the program's own."""
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        usage="%(prog)s [OPTION]... FUNCTION [OPTION]... "
              "(-p PID | PROGRAM [ARG]...)")
    parser.add_argument("function")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    parser.add_argument("-p", "--pid", type=int)
    parser.add_argument("--period", type=float, default=0.5, help="seconds")
    parser.add_argument("--pictures", type=int, default=0,
                        help="how many; 0: until the program ends")
    parser.add_argument("--save", metavar="FILE.png")
    parser.add_argument("--text", action="store_true")
    arguments = parser.parse_args(words)
    if arguments.program[:1] and arguments.program[0].startswith("-"):
        # The first word that is none of an option is taken for FUNCTION: this
        # is PROGRAM here, or FUNCTION itself, which is put behind all others.
        function = arguments.function
        parser.parse_args([*arguments.program, function], arguments)
        *arguments.program, arguments.function = [arguments.function,
                                                  *arguments.program]
    if not arguments.pid and not arguments.program:
        parser.error("a program, or -p PID, is missing")
    if arguments.pid and arguments.program:
        parser.error("both -p PID and a program are given")
    return arguments


def main():
    arguments = parse(sys.argv[1:])
    plot, drawn = make_plot(arguments), 0
    with perftool.Session() as session:
        if arguments.pid:
            session.attach(arguments.pid)
        else:
            session.launch(*arguments.program)
        session.command("time " + arguments.function)
        while session.pid and (not arguments.pictures or
                               drawn < arguments.pictures):
            session.run(arguments.period)
            plot.draw(session.leg(0))
            drawn += 1
    plot.finish()


if __name__ == "__main__":
    try:
        main()
    except perftool.Error as error:
        sys.exit(f"latency.py: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
