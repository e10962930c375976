"""Random profiles, written in each format and read back.

usage: profile_files.py DRIVER PROTO_FOLDER PROFILES

Each profile has names that no line of text can hold, recursion, inlined calls,
waits, broken stacks and equal stacks of several threads. What each file says is
computed here once more, in the simplest way, and compared.
"""
import collections
import gzip
import json
import random
import re
import subprocess
import sys
import xml.etree.ElementTree

DRIVER, PROTO, PROFILES = sys.argv[1], sys.argv[2], int(sys.argv[3])
MODULES = [b"prog", b"libc.so.6", b"lib x<&>.so", b""]
# bytes and characters that mean something to one format or another
PIECES = [b"f", b"g", b"main", b";", b" ", b" 12", b"<", b">", b"&", b'"', b"'",
          b"\n", b"\t", b"\x1b", b"\xff", b"\xc3\xa9", b"%", b"(3)", b"(", b"\\",
          b"\xe2\x80\xa8", b"\xc2\x85", b"\xe2\x80\xae", b"]]>", b"\xef\xbf\xbf", b"=", b"\r",
          b"fn=(1)", b"+0x1", b"::operator()(int, char)", b"\xed\xa0\x80"]
WEIRD = "\ufffd"
# characters that change the direction of writing
DIRECTIONS = {0x61c, 0x200e, 0x200f, *range(0x202a, 0x202f), *range(0x2066, 0x206a)}


def clean(name):
    """The name as UTF-8 in a line; each bad byte or character becomes U+FFFD."""
    text = name.decode("utf-8", "surrogateescape")
    text = "".join(
        WEIRD if 0xdc80 <= ord(c) <= 0xdcff or ord(c) < 0x20
        or 0x7f <= ord(c) < 0xa0 or ord(c) in (0x2028, 0x2029, 0xfffe, 0xffff)
        or ord(c) in DIRECTIONS
        else c for c in text)
    return text or "[unknown]"


def field(name):
    if name is None:
        return "-"
    return "".join(chr(c) if 0x20 < c < 0x7f and c not in b"%-"
                   else "%%%02x" % c for c in name)


class Profile:
    """A random profile."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.lines = ["measurement\tspy\tcpu\t1000\t1000\t0\t0\t0\t0",
                      "module\t1\tprog\t/bin/prog\t-\t1\t0\t0\t0\t0"]
        self.procedures = []
        while len(self.procedures) < r.randint(1, 12):
            name = b"".join(r.choice(PIECES) for _ in range(r.randint(0, 4)))
            p = (name, r.choice(MODULES), r.choice([None, b"/a.c", b"/b <.h"]),
                 len(self.procedures) + 1)
            self.procedures.append(p)
            self.line("procedure", field(p[0]), field(p[1]), field(p[2]), p[3],
                      p[3] * 64, int(p[1] == b""))
        self.threads = []
        for i in range(r.randint(1, 4)):
            name = r.choice([b"worker", b"a b;c", None, b"\xffx"])
            self.threads.append(name)
            self.line("thread", 7, 100 + i, field(name))
        self.places = []
        for i in range(r.randint(1, 30)):
            p = r.randrange(len(self.procedures))
            place = (p, r.choice([None, b"/a.c", b"/b <.h"]), i + 1,
                     r.random() < 0.2)
            self.places.append(place)
            self.line("place", p, field(place[1]), place[2],
                      self.procedures[p][3] * 64 + i, int(place[3]))
        self.samples = []
        for _ in range(r.randint(0, 40)):
            stack = [r.randrange(len(self.places))
                     for _ in range(r.choice([1, 2, 3, 8, 20]))]
            sample = (r.randrange(len(self.threads)), r.random() < 0.3,
                      r.random() < 0.1, r.choice([1, 1, 7, 10**6]), stack)
            self.samples.append(sample)
            self.line("sample", sample[0], 0, int(sample[1]), int(sample[2]),
                      sample[3], *stack)
        if not self.samples:
            self.samples.append((0, False, False, 0, [0]))
            self.line("sample", 0, 0, 0, 0, 0, 0)
        self.total = sum(s[3] for s in self.samples)

    def line(self, *fields):
        self.lines.append("\t".join(map(str, fields)))

    def home(self, procedure):
        """The file and the line that a function is said to be at."""
        file, line = self.procedures[procedure][2:]
        places = [p[1:3] for p in self.places if p[0] == procedure and p[1]]
        if places and file not in [p[0] for p in places]:
            file = places[0][0]
            line = min(p[1] for p in places if p[0] == file)
        return file, line

    def locations(self, stack):
        """The names of the frames, those of one address together."""
        groups, group = [], []
        for p in stack:
            group.append(clean(self.procedures[self.places[p][0]][0]))
            if not self.places[p][3]:
                groups.append(tuple(group))
                group = []
        return tuple(groups + [tuple(group)] * bool(group))

    def write(self, path):
        subprocess.run([DRIVER, path], input="\n".join(self.lines) + "\n",
                       text=True, check=True, stdout=subprocess.DEVNULL)
        return path

    def name(self, procedure):
        """With `@module` where several have the name, and `file:` where
        several of the module have it."""
        name, module, file = self.procedures[procedure][:3]
        if not module or sum(p[0] == name for p in self.procedures) == 1:
            return clean(name)
        several = sum(p[:2] == (name, module) for p in self.procedures) > 1
        return clean((file[1:] + b":" if several and file else b"")
                     + name + b"@" + module)

    def thread(self, number):
        name = self.threads[number]
        return clean(name) if name else "thread %d" % (100 + number)

    def frames(self, sample):
        """Outermost first, the thread at the front."""
        thread, _, broken, _, stack = sample
        return ([self.thread(thread)] + ["[broken]"] * broken
                + [self.name(self.places[p][0]) for p in reversed(stack)])


def check(got, wanted, what):
    assert got == wanted, "%s:\n  got    %r\n  wanted %r" % (what, got, wanted)


# ---- the formats --------------------------------------------------------------

def check_folded(profile):
    wanted, got = collections.Counter(), collections.Counter()
    for s in profile.samples:
        if s[3]:
            wanted[";".join(f.replace(";", ":").replace(" ", "_")
                            for f in profile.frames(s))] += s[3]
    lines = open(profile.write("x.folded"), newline="\n").read().split("\n")
    check(lines.pop(), "", "the last line ends")
    for line in lines:
        stack, weight = re.fullmatch(r"(.*)\s+?(\d+)", line).groups()
        check(len(stack.split(" ")), 1, "blanks in a stack")
        got[stack] += int(weight)
    check(got, wanted, "folded stacks")


def replaced(text):
    """Bytes that are not UTF-8, as JSON has them."""
    return "".join(WEIRD if 0xdc80 <= ord(c) <= 0xdcff else c
                   for c in text.decode("utf-8", "surrogateescape"))


def check_json(profile):
    whole = json.load(open(profile.write("x.json"), encoding="utf-8"))
    wanted, got = collections.Counter(), collections.Counter()
    for thread, delayed, _, weight, stack in profile.samples:
        frames = tuple(
            (replaced(profile.procedures[profile.places[p][0]][0]),
             replaced(profile.procedures[profile.places[p][0]][1]) or None,
             replaced(profile.places[p][1]) if profile.places[p][1] else None,
             profile.places[p][2] if profile.places[p][1] else None,
             profile.places[p][3]) for p in stack)
        wanted[100 + thread, delayed, frames] += weight
    for s in whole["samples"]:
        check(sorted(s), ["delayed", "reason", "stack", "tid", "weight"], "keys")
        got[s["tid"], s["delayed"], tuple(
            (f["function"], f["module"], f["file"], f["line"], f["inlined"])
            for f in s["stack"])] += s["weight"]
    check(got, wanted, "JSON samples")
    check([(f["id"], f["name"]) for f in whole["functions"]],
          [(i, replaced(p[0])) for i, p in enumerate(profile.procedures)],
          "JSON functions")


def check_svg(profile):
    tree = xml.etree.ElementTree.parse(profile.write("x.svg"))
    titles = [t.text for t in tree.iter("{http://www.w3.org/2000/svg}title")][1:]
    if not profile.total:
        check(titles, [], "frames of nothing")
        return
    nodes = collections.Counter()
    for s in profile.samples:
        frames = profile.frames(s)
        for depth in range(len(frames) + 1):
            nodes[tuple(frames[:depth]), tuple(
                profile.places[p][0] for p in
                list(reversed(s[4]))[:max(0, depth - 1 - s[2])])] += s[3]
    wanted = collections.Counter()
    for (frames, procedures), weight in nodes.items():
        if weight * 1000 < profile.total:
            continue
        module = profile.procedures[procedures[-1]][1] if procedures else b""
        text = frames[-1] if frames else "all"
        wanted["%s%s: %s tick%s, %s %%" % (
            text, " (%s)" % clean(module) if module else "",
            format(weight, ","), "s" if weight != 1 else "",
            "%d.%02d" % divmod((weight * 10000 + profile.total // 2)
                               // profile.total, 100))] += 1
    check(collections.Counter(titles), wanted, "titles")


def read_callgrind(path):
    """Own costs by function, object, file and line, inclusive costs by function
    and object, and the two totals."""
    own, inclusive = collections.Counter(), collections.Counter()
    names, lines = {}, open(path, newline="\n").read().split("\n")
    totals, position, at = [], None, {}
    for number, line in enumerate(lines):
        named = re.fullmatch(r"(c?)(fn|fl|fi|ob)=\((\d+)\)(?: (.*))?", line)
        if named:
            kind = "fl" if named[2] == "fi" else named[2]
            if named[4] is not None:
                names[kind, named[3]] = named[4]
            at[named[1] + kind] = names[kind, named[3]]
        elif line.startswith(("summary: ", "totals: ")):
            totals.append(int(line.split()[1]))
        elif re.fullmatch(r"\d+ \d+", line):
            key = at["fn"], at["ob"]
            inclusive[key] += int(line.split()[1])
            if not lines[number - 1].startswith("calls="):
                own[key + (at["fl"], int(line.split()[0]))] += int(
                    line.split()[1])
    return own, inclusive, totals


def check_callgrind(profile):
    path = profile.write("callgrind.out")
    own, inclusive, totals = read_callgrind(path)
    wanted_own, wanted = collections.Counter(), collections.Counter()

    def key(place):
        name, module = profile.procedures[profile.places[place][0]][:2]
        return clean(name), ("/bin/prog" if module == b"prog" else
                             clean(module) if module else "???")

    for s in profile.samples:
        place = profile.places[s[4][0]]
        file, line = place[1:3] if place[1] else profile.home(place[0])
        wanted_own[key(s[4][0]) + ((clean(file), line) if file else ("???", 0))
                   ] += s[3] * 10**6
        for function in {profile.places[p][0]: p for p in s[4]}.values():
            wanted[key(function)] += s[3] * 10**6
    check(totals, [profile.total * 10**6] * 2, "totals")
    check(+own, +wanted_own, "own costs")
    check(+inclusive, +wanted, "inclusive costs")
    if not profile.total:
        return
    said = subprocess.run(["callgrind_annotate", "--threshold=100", path],
                          capture_output=True, check=True).stdout.decode()
    assert "%s (100.0%%)  PROGRAM TOTALS" % format(totals[0], ",") in said, said
    assert "malformed" not in said, said
    own_of_files = collections.Counter()
    for (function, _, file, _), cost in wanted_own.items():
        own_of_files[file, function] += cost
    check(sorted(int(n.replace(",", "")) for n in
                 re.findall(r"^ *([\d,]+) \([\d. ]+%\)  .*:", said, re.M)),
          sorted((+own_of_files).values()), "own costs by callgrind_annotate")


def decode(path):
    """The messages of protoc's text, as nested lists of pairs."""
    said = subprocess.run(
        ["protoc", "--decode=pprof.Profile", "-I", PROTO, "pprof.proto"],
        input=gzip.open(path).read(), capture_output=True, check=True)
    stack = [[]]
    for line in said.stdout.decode().split("\n"):
        line = line.strip()
        if line.endswith("{"):
            stack.append([])
            stack[-2].append((line[:-2], stack[-1]))
        elif line == "}":
            stack.pop()
        elif line:
            stack[-1].append(tuple(line.split(": ", 1)))
    return stack[0]


def every(message, name):
    return [value for key, value in message if key == name]


def number(message, name):
    values = every(message, name)
    return int(values[0]) if values else 0


def unquote(text):
    raw = re.sub(rb'\\([0-7]{3}|.)', lambda m: bytes([int(m[1], 8)])
                 if len(m[1]) == 3 else
                 {b"n": b"\n", b"t": b"\t", b"r": b"\r"}.get(m[1], m[1]),
                 text.encode()[1:-1])
    return raw.decode()


def check_pprof(profile):
    whole = decode(profile.write("x.pb.gz"))
    strings = [unquote(t) for t in every(whole, "string_table")]
    check(strings[0], "", "the first string")
    check(len(set(strings)), len(strings), "strings are there once")
    names = {number(f, "id"): strings[number(f, "name")]
             for f in every(whole, "function")}
    locations = {number(l, "id"): [names[number(x, "function_id")]
                                   for x in every(l, "line")]
                 for l in every(whole, "location")}
    check([strings[number(t, "unit")] for t in every(whole, "sample_type")],
          ["count", "nanoseconds"], "units")
    got, wanted = collections.Counter(), collections.Counter()
    for s in every(whole, "sample"):
        values = [int(v) for v in every(s, "value")]
        check(values[1], values[0] * 10**6, "the time of a sample")
        labels = {strings[number(l, "key")]: l for l in every(s, "label")}
        got[number(labels["tid"], "num"),
            strings[number(labels["thread"], "str")],
            tuple(tuple(locations[int(i)])
                  for i in every(s, "location_id"))] += values[0]
    for s in profile.samples:
        wanted[100 + s[0], profile.thread(s[0]),
               profile.locations(s[4]) + (("[broken]",),) * s[2]] += s[3]
    check(got, wanted, "pprof samples")


for seed in range(PROFILES):
    try:
        at = Profile(seed)
        for reader in (check_folded, check_json, check_svg, check_callgrind,
                       check_pprof):
            reader(at)
    except Exception:
        print("profile %d" % seed)
        raise
