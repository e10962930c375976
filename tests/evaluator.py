"""Evaluates Python expressions over JSON files, for json() of lib.sh.

usage: evaluator.py ASK ANSWER

ASK and ANSWER are FIFOs. A request has three parts, each ended by a null byte: the
folder of the file, the file (or /dev/null), and the expression; the expression sees the
object in the file as `t`. The answer is "0" and the printed value, or "1" and why there is none. A
null byte alone ends the evaluator: it opens ANSWER, and the kernel closes it when the
evaluator has ended.
"""
import collections
import json
import os
import sys
import traceback


def foreign(pid):
    """How many bytes of the code of the process differ from its files."""
    bad = seen = 0
    with open("/proc/%s/mem" % pid, "rb", 0) as memory, \
            open("/proc/%s/maps" % pid, encoding="utf-8") as maps:
        for line in maps:
            where, rights, offset, _, _, *path = line.split()
            if "x" not in rights or not path or path[0][0] != "/" \
                    or "(deleted)" in line:
                continue
            low, high = (int(x, 16) for x in where.split("-"))
            memory.seek(low)
            here = memory.read(high - low)
            with open(path[0], "rb") as file:
                file.seek(int(offset, 16))
                there = file.read(high - low)
            there += bytes(len(here) - len(there))
            seen += len(here)
            if here != there:
                bad += sum(a != b for a, b in zip(here, there))
    return bad if seen > 1000000 else "no text"


def by_name(functions):
    """The rows of the table of functions by their names; 0 calls if there is none."""
    rows = collections.defaultdict(lambda: dict(
        calls=0, unreturned=0, self_ns=0, total_ns=0))
    for function in functions:
        known = rows.get(function["function"])
        if known:
            for key in "calls", "unreturned", "self_ns", "total_ns":
                known[key] += function[key]
        else:
            rows[function["function"]] = function
    # of an indirect function the code has another name
    for name in [name for name in rows if "strchr" in name]:
        rows["strchr"] = rows[name]
    return rows


def names(t):
    """What an expression can use; lib.sh says what they mean."""
    if isinstance(t, dict) and all("total_ns" in x for x in t.get("functions", [])):
        f = by_name(t.get("functions", []))

    def one(rows):
        rows = list(rows)
        assert len(rows) == 1, rows
        return rows[0]

    def node(n):
        return one(x for x in t["nodes"] if x["id"] == n)

    def leg(n):
        return one(x for x in t["legs"] if x["id"] == n)

    def entry(f, kind="entry"):
        return one(x for x in t["nodes"]
                   if x["function"] == f and x["kind"] == kind)

    def exit(f):
        """Where it is left, or where its frames end."""
        return one(x for x in t["nodes"] if x["function"] == f
                   and x["kind"] in ("exit", "return"))

    def time(f):
        return one(x for x in t["legs"] if x["from"] == entry(f)["id"])

    def kept():
        """The conservation rule, of every leg."""
        return all(
            node(l["from"])["count"] == l["count"] + l["ignored_from"]
            + l["unwound"] + l["discarded"] + l["open"]
            and node(l["to"])["count"] == l["count"] + l["ignored_to"]
            for l in t["legs"])

    def counted():
        return ([(n["location"], n["count"], n["errors"])
                 for n in t["nodes"]],
                [(l["count"], l["ignored_from"], l["ignored_to"],
                  l["unwound"], l["discarded"], l["open"])
                 for l in t["legs"]])

    def rows_of(owner):
        """The rows of the split of a node or leg; () if it has none."""
        by = owner["by"]
        return () if not by else (by["counted"], by["distinct"], tuple(sorted(
            (str(v["value"]), v["kind"], v["count"]) for v in by["values"])))

    return dict(locals(), foreign=foreign, json=json, sys=sys)


def evaluate(folder, name, expression):
    t = None
    if name != "/dev/null":
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            t = json.load(file)
    value = eval("(" + expression + ")", names(t))
    if not isinstance(value, (list, tuple)):
        value = [value]
    return " ".join(str(part) for part in value)


def main():
    # A program that the test serves waits until nobody has its standard input open.
    os.closerange(3, 1024)
    while True:
        with open(sys.argv[1], encoding="utf-8", errors="surrogateescape") as ask:
            parts = ask.read().split("\0")
        if len(parts) != 4:
            # Whoever waits for the end of this process reads this FIFO to its end.
            os.open(sys.argv[2], os.O_WRONLY)
            return
        try:
            answer = "0" + evaluate(*parts[:3])
        except BaseException:  # whatever it is, the test has to see it
            answer = "1" + traceback.format_exc()
        with open(sys.argv[2], "w", encoding="utf-8",
                  errors="surrogateescape") as file:
            file.write(answer)


if __name__ == "__main__":
    main()
