"""Carries out each operation on the same program by two ways in, a socket of
`perftool serve` and the library, and compares the results.

    operations.py PERFTOOL PROGRAM FOLDER

PROGRAM is tests/programs/marked. It stands still before its first instruction
in both cases. The script prints a line for each check: "pass NAME", or "fail
NAME: what it got"."""
import atexit
import json
import os
import re
import subprocess
import sys

import perftool as library
from front_end import Json

perftool, program, folder = sys.argv[1:]
path = folder + "/socket"
rules = folder + "/modes.xml"
words = [program, "30"]

with open(rules, "w") as file:
    file.write("""<DYPATCH><DYPATCH_MODE NAME='odd'>
        <CODE TYPE='CALL' METHOD='count'/></DYPATCH_MODE></DYPATCH>""")


def check(good, name, got=""):
    print("pass " + name if good else f"fail {name}: {got}"[:900])


server = subprocess.Popen(
    [perftool, "serve", "-q", "-n", "--wait-front-end", "--socket", path,
     *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
atexit.register(server.kill)
front_end = Json(path)
served = front_end.call("who")["result"]["pid"]
session = library.Session()
# What the program itself prints must not be among the checks.
own_output = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
session.launch(*words)
os.dup2(own_output, 1)
session.run(0)                     # turns the monitor on, as serve does
launched = session.pid

# What differs between two processes and between two moments.
VOLATILE = re.compile(r"(_ns|_ticks|^time|^millis|^nano|^since|^id|serve_pid|"
                      r"^pid|^process|^at|^started|^addresses|^switches|^socket|^held|^cost|^load)$")


def plain(value, pid):
    """The value without what differs between two runs of a program."""
    if isinstance(value, dict):
        return {name: plain(inner, pid) for name, inner in value.items()
                if not VOLATILE.search(name)}
    if isinstance(value, list):
        return [plain(inner, pid) for inner in value]
    if isinstance(value, str):
        return re.sub(r"/tmp/perftool-patches\S*?/", "FOLDER/",
                      value.replace(str(pid), "PID"))
    return value


def by_socket(name, params):
    reply = front_end.call(name, **params)
    if "error" in reply:
        return "error", reply["error"]["code"] == -32602, \
            reply["error"]["message"]
    return "result", plain(reply["result"], served)


def by_library(name, params):
    try:
        result = session.operation(name, **params)
    except library.Error as error:
        return "error", error.code == 1, str(error)
    return "result", plain(result, launched)


def difference(one, other, where=""):
    """Where two values differ, and what is there."""
    if type(one) is type(other) is dict and one.keys() == other.keys():
        parts = one.keys()
    elif type(one) in (list, tuple) and len(one) == len(other):
        parts = range(len(one))
    else:
        return "" if one == other else \
            f"{where}: by the socket {one}, by the library {other}; "
    return "".join(difference(one[part], other[part], f"{where}/{part}")
                   for part in parts)


tried = set()


def compare(name, /, **params):
    """Both ways in must give the same result, which is returned."""
    tried.add(name)
    one, other = by_socket(name, params), by_library(name, params)
    check(one == other, f"{name} {json.dumps(params)}"[:70],
          difference(one, other))
    return other


compare("ping")
compare("whoru")
compare("get")
compare("set", var=[{"name": "CHECKTIME", "value": 5},
                    {"name": "max-times", "value": "7"},
                    {"name": "METHOD_DETAIL_MINIMUM", "value": "9"}])
compare("get", var=["CHECKTIME", {"name": "MAXDEPTH"}])
compare("setdetail", item="marked.c:work", value=True, agent="cpu")
compare("setdetail", detail=[{"item": "marked.c", "value": "TRUE"},
                             {"item": "marked.c", "value": False}])
compare("setdetail", item="no_such_class", value=True)
compare("classes", package=[{"name": "/usr/lib/", "type": "SYSTEM"}],
        **{"class": [{"name": "io.c", "type": "IO"}]})
compare("getclasses")
compare("getclasses", type="IO", name="io")
compare("classes", clear=True)
compare("classmodel", name="marked.c")
compare("showstack")
compare("agent", **{"class": "heap"})
compare("agent", **{"class": "threads"})
compare("agent", **{"class": "no_such_agent"})
compare("report", type="heap")
compare("usethread", thread=[{"id": 1, "ignore": True}])
compare("clear")
compare("clear", agent="heap")
compare("directory", directory=folder)
compare("modes", file=rules)
compare("model", name="m", **{"for": [
    {"class": "marked.c", "method": "work", "update": "NEW",
     "patch": [{"what": "ENTER", "mode": "time"},
               {"what": "EXIT", "mode": "odd"},
               {"what": "CALL", "mode": "count"}]}]})
compare("patch", model="m", all=True)
compare("instrument", name="m", insert=True)
compare("calltree")
compare("command", line="list legs")
compare("command", line="frobnicate")
compare("complete", line="print le")
made = compare("ask", line="add leg 1")
check(made[1] == {"name": "To Node", "before": "add leg 1 ", "output": ""},
      "ASK finds what a line lacks", made)
made = compare("ask", line="add leg", answer=["1", "2"])
check(made[1] == {"line": "add leg 1 2", "output": ""},
      "and takes the answers", made)
made = compare("ask", line="add leg", answer=["1", "?"])
check(made[1]["name"] == "To Node" and "add leg FROM TO" in made[1]["output"],
      "of which `?' is answered", made)
made = compare("ask", line="add leg 1 ?")
check(sorted(made[1]) == ["output"] and "add leg FROM TO" in made[1]["output"],
      "as a line that ends in `?' is", made)
made = compare("ask", line="delete leg", answer=[" "])
check(made[1] == {"output": ""}, "an empty answer drops the line", made)
for line, answers in (("print legs", []), ("frobnicate", []), ("", [])):
    made = compare("ask", line=line, answer=answers)
    check(made[1] == {"line": line, "output": ""}, f"{line} lacks nothing",
          made)
made = compare("report")
check([leg["name"] for leg in made[1]["legs"]].count("marked.c:work") > 0,
      "the report has the leg", made)

made = compare("report", buckets_once=True)
check({h["buckets"] for h in made[1]["histograms"]} == {None},
      "histograms of legs need no buckets", made)

# What goes wrong.
compare("setdetail")
compare("setdetail", item="marked.c", value="perhaps")
compare("ask", line="add leg", answer=["1 2"])
compare("ask", line="add leg", answer=[{"text": "1"}])
compare("ask")
compare("setdetail", item=["marked.c"], value=True)
compare("set", var=[{"name": "no_such_variable", "value": 1}])
compare("model", name="m", **{"for": [{"class": 1, "update": "OLD"}]})
compare("instrument", name="no_such_model", insert=True)
compare("directory", directory="/nonexistent")
compare("modes", file="/nonexistent")

# What cannot be the same: who is asked, and what a caller has of its own.
one = front_end.call("who")["result"]
other = session.operation("who")
tried.add("who")
check(sorted(one) == sorted([*other, "socket"]) and
      one["args"] == other["args"] and one["program"] == other["program"] and
      other["pid"] == launched, "who", (one, other))
for name in "REPORTTIME", "SHOWSTACK":
    try:
        session.operation("set", name=name, value=1)
        check(False, f"the library refuses {name}")
    except library.Error as error:
        check("notices" in str(error), f"the library refuses {name}", error)

# The library's own forms of a request.
for request, problem in (
        ("", "no object"), ("[]", "no object"), ("{", "no object"),
        ("{}", "`method' must be a string"),
        ('{"method": 1}', "`method' must be a string"),
        ('{"method": "ping", "params": []}', "`params' must be an object"),
        ('{"method": "PING"}', "no operation"),
        ('<DYPER METHOD="ping"/>', "no object"),
        ('{"method": "ping\\u0000x"}', "no object"),
        ("[" * 100 + "]" * 100, "no object")):
    reply = library.ctypes.c_void_p()
    try:
        session._call(library._lib.perftool_session_operation,
                      request.encode(), library.ctypes.byref(reply))
        check(False, f"a request {request!r}")
    except library.Error as error:
        check(problem in str(error) and not reply.value,
              f"a request {request[:40]!r}", error)

# The command `dyper` of the library carries out the same operations.
check(json.loads(session.command("dyper get name=CHECKTIME")) ==
      {"var": [{"name": "CHECKTIME", "value": 5}]}, "dyper in the library")

# What the operations have made counts what the program does.
session.run()
legs = {leg["name"]: leg["count"]
        for leg in session.operation("report")["legs"]}
check(legs.get("marked.c:work") == 30, "the leg counts every call", legs)
print("tried " + " ".join(sorted(tried)))
session.close()
