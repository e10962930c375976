"""Damages a right report of a lab in many ways, the same in each run.

usage: labs_damaged.py LABS NN REPORT.json

Whatever the report is, the checker must say what is missing, or accept what is still right, in lines
that a terminal shows. Prints the number of reports that were refused.
"""
import importlib.machinery
import importlib.util
import json
import random
import sys

TIMES = 150
VALUES = [None, True, -1, 0, 1, 10 ** 30, "9" * 5000, "-", 1e308, 0.5, "", "x\x1b[31m\n\ud800\u202e",
          [], {}, [[]], [{}], {"a": 1}, "12", [None]]


def load_checker(labs):
    sys.dont_write_bytecode = True
    sys.path.insert(0, labs)
    loader = importlib.machinery.SourceFileLoader("checker", labs + "/check")
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("checker", loader))
    loader.exec_module(module)
    return module


def paths(value, path=()):
    """The way to each value of the report, of the first ones of long lists."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value[:6]) if isinstance(value, list) else ()
    for key, inner in items:
        yield from paths(inner, path + (key,))


def damaged(report, path):
    place = report
    try:
        for key in path[:-1]:
            place = place[key]
        if random.random() < 0.2:
            del place[path[-1]]
        else:
            place[path[-1]] = random.choice(VALUES)
    except (KeyError, IndexError, TypeError):
        pass  # an earlier damage has removed the place


def main():
    labs, number, file = sys.argv[1:]
    checker = load_checker(labs)
    lab = checker.expected_of(checker.labs()[int(number)])
    lab["NUMBER"] = number
    with open(file, encoding="utf-8") as report:
        text = report.read()
    places = list(paths(json.loads(text)))
    random.seed(number)
    refused = 0
    for _ in range(TIMES):
        report = json.loads(text)
        for _ in range(random.choice((1, 1, 2, 4))):
            damaged(report, random.choice(places))
        problems = checker.problems_of(json.dumps(report).encode(), lab)
        for line in map(checker.paragraph, problems):
            assert all(c.isprintable() or c == "\n" for c in line), line
        refused += bool(problems)
    print(refused)


if __name__ == "__main__":
    main()
