#!/usr/bin/env python3
"""latency.py - plots how long calls of a function take, while the program runs

    samples/python/latency.py FUNCTION (-p PID | PROGRAM [ARG]...)
                              [--period S] [--pictures N] [--save FILE.png]

With matplotlib the plot is a window, or with --save a picture that is written
again after each period. Without matplotlib, without a display to show a window
on, or with --text, the plot is lines of text.
It uses the package perftool (python/perftool.py), which needs libperftool.
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
    return f"{seconds * 1e9:.3g}ns"


class Text:
    """Plots as lines of text."""

    WIDTH = 50

    def draw(self, leg):
        rows = rows_of(leg)
        most = max((count for _, count in rows), default=1)
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("function")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    parser.add_argument("-p", "--pid", type=int)
    parser.add_argument("--period", type=float, default=0.5)
    parser.add_argument("--pictures", type=int, default=0,
                        help="how many; 0: until the program ends")
    parser.add_argument("--save", metavar="FILE.png")
    parser.add_argument("--text", action="store_true")
    arguments = parser.parse_args()
    if not arguments.pid and not arguments.program:
        parser.error("a program, or -p PID, is missing")
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
