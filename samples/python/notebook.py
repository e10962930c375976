#!/usr/bin/env python3
"""notebook.py - a notebook that shows the latencies of a function while the
program runs

Jupyter (with jupytext), VS Code and Spyder open this file as a notebook: a cell
begins at each `# %%`. There, put the function and the process into the first
cell. As a script it writes its picture again after each period:

    samples/python/notebook.py FUNCTION PID PICTURE [PERIODS [SECONDS]]

It needs matplotlib. PICTURE ends in .png or .svg.
"""
# %% What is measured
import sys

from matplotlib import pyplot

import perftool

IN_NOTEBOOK = "ipykernel" in sys.modules
FUNCTION, PID, PICTURE, PERIODS, SECONDS = "handle_request", 1234, None, 20, 1
if not IN_NOTEBOOK:
    if not 4 <= len(sys.argv) <= 6:
        sys.exit(__doc__)
    pyplot.switch_backend("Agg")
    FUNCTION, PID, PICTURE = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    PERIODS = int(sys.argv[4]) if len(sys.argv) > 4 else PERIODS
    SECONDS = float(sys.argv[5]) if len(sys.argv) > 5 else SECONDS

# %% Attach. The process runs on, also between the cells
session = perftool.Session()
try:
    session.attach(PID)
    print(session.command("time " + FUNCTION))
except perftool.Error as error:
    sys.exit(f"notebook.py: {error}")


# %% The distribution of one period, and what became of it from period to period
def since(before, leg):
    """The buckets of the executions since `before`, a {start: count}."""
    return [(bucket, bucket.count - before.get(bucket.start, 0))
            for bucket in leg.buckets
            if bucket.count > before.get(bucket.start, 0)]


def quantile(buckets, part):
    """The middle of the bucket in which this part of the executions is over."""
    left = part * sum(count for _, count in buckets)
    for bucket, count in buckets:
        left -= count
        if left <= 0:
            return (bucket.start + bucket.end) / 2
    return None


def draw(axes, buckets, moments):
    over_time, distribution = axes
    for one in axes:
        one.clear()
        one.set_ylabel("seconds" if one is over_time else "calls")
        one.set_yscale("log")
    for index, part in enumerate((0.5, 0.9, 0.99)):
        over_time.plot([at for at, _ in moments],
                       [values[index] for _, values in moments], marker=".",
                       label=f"p{part * 100:g}")
    over_time.set_xlabel("seconds since the measuring began")
    over_time.legend(loc="upper left")
    distribution.bar([bucket.start for bucket, _ in buckets],
                     [count for _, count in buckets], align="edge",
                     width=[bucket.end - bucket.start for bucket, _ in buckets])
    distribution.set_xscale("log")
    distribution.set_xlabel(f"seconds that {FUNCTION} took, in the last period")


# %% Run this cell again to see the next periods
figure, axes = pyplot.subplots(2, figsize=(8, 7), layout="constrained")
before, moments = {}, []
for period in range(PERIODS):
    try:
        session.run(SECONDS)
    except KeyboardInterrupt:
        break  # Ctrl-C, or the button that interrupts a cell
    leg = session.leg(0)
    buckets = since(before, leg)
    before = {bucket.start: bucket.count for bucket in leg.buckets}
    if buckets:
        moments.append((round((period + 1) * SECONDS, 3),
                        [quantile(buckets, part) for part in (0.5, 0.9, 0.99)]))
        draw(axes, buckets, moments)
        figure.suptitle(f"{FUNCTION}: {leg.count} calls")
    if PICTURE:
        figure.savefig(PICTURE)
    else:
        from IPython.display import clear_output, display
        clear_output(wait=True)
        display(figure)
    if not session.pid:
        break

# %% The same as a table
print(session.command("print legs columns=name,count,mean,p50,p99,max"))

# %% Let the process go
if session.pid:
    session.command("detach")
leg = session.leg(0)
print(f"{FUNCTION}: {leg.count} calls, p99 {leg.quantile(0.99):.3g} s")
