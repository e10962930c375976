#!/usr/bin/env python3
"""What `perftool compare` says of builds whose difference is known.

usage: compare.py PERFTOOL BUILDS TRIALS FOLDER

In each trial a program is measured three times by `-r 10`: twice the same, and
once with 3 % more work. A line for each trial and figure: the figure, the verdict
on the equal builds, the verdict on the slower one, the difference that was found
of the latter in percent, and the width of its interval.
"""
import json
import subprocess
import sys

RUNS, STEPS, MORE, CALLS = "10", 10000, 10300, "1000"
FIGURES = "total", "mean", "p50", "p99"


def measure(tool, program, steps, file):
    subprocess.run([tool, "-q", "-n", "-r", RUNS, "-t", "solve", "-o", file,
                    program, str(steps), CALLS], check=True)


def verdicts(tool, *files):
    text = subprocess.run([tool, "compare", "-f", "json", *files], check=True,
                          stdout=subprocess.PIPE).stdout
    return [one["legs"][0]["figures"]
            for one in json.loads(text)["comparisons"]]


def main():
    tool, program, trials, folder = sys.argv[1:]
    files = [f"{folder}/{name}.json" for name in ("a", "b", "c")]
    for _ in range(int(trials)):
        for steps, file in zip((STEPS, STEPS, MORE), files):
            measure(tool, program, steps, file)
        equal, slower = verdicts(tool, *files)
        for name in FIGURES:
            found = slower[name]
            print(name, equal[name]["verdict"], found["verdict"],
                  found["difference_percent"],
                  found["high_percent"] - found["low_percent"], flush=True)


main()
