"""Sends each message as DyPer's documents print it, with real names in place of
those of Java, and checks the replies; then the same by JSON-RPC.

    dyper.py PERFTOOL PROGRAM FOLDER yes|no

PROGRAM is tests/programs/rounds. `yes`: the processor reports what it watches.
The script prints a line for each check: "pass
NAME", or "fail NAME: what it got"."""
import base64
import json
import os
import subprocess
import sys
import time

from fair_time import Limit
from front_end import Json, Xml

perftool, program, folder, watches = sys.argv[1:]
fifo, path = folder + "/fifo", folder + "/socket"


def check(good, name, got=""):
    print("pass " + name if good else f"fail {name}: {got}"[:600])
    sys.stdout.flush()


def equal(got, wanted, name):
    check(got == wanted, name, f"got {got!r}, wanted {wanted!r}")


def form(element):
    """The form of an element: its name, the names of its attributes, and the
    forms of its children, each once, in their order."""
    inner = []
    for child in element:
        if form(child) not in inner:
            inner.append(form(child))
    text = element.tag
    if element.attrib:
        text += "[" + " ".join(element.attrib) + "]"
    return text + ("(" + " ".join(inner) + ")" if inner else "")


os.mkfifo(fifo)
server = subprocess.Popen(
    [perftool, "serve", "-q", "-n", "--socket", path, program, fifo],
    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
xml, js = Xml(path), Json(path)
pid = js.call("who")["result"]["pid"]
bytes_of_work = open(fifo, "wb", buffering=0)


def work(kind=b"r", rounds=1):
    for _ in range(rounds):
        bytes_of_work.write(kind)
        server.stdout.readline()


work()


def ask(command, data=""):
    return xml.ask(f"<DYPER PID='{pid}' XCOMMAND='{command}'>{data}</DYPER>")


def patch(command, data=""):
    return xml.ask(f"<DYPATCH PID='{pid}' COMMAND='{command}'>{data}</DYPATCH>")


def conforms(reply, wanted, name):
    equal(form(reply), wanted, name)
    return reply


def empty(reply, name):
    conforms(reply, "DYPER_REPLY[ID]", name)


def refused(reply, name):
    conforms(reply, "DYPER_REPLY[ID](ERROR[CODE])", name)


def counts():
    """How often each leg was executed, by the name of the function."""
    legs = js.call("report")["result"]["legs"]
    return {leg["name"].split(":")[-1]: leg["count"] for leg in legs}


# ---- who is there ----
conforms(xml.ask("<DYPER COMMAND='WHO' />"), "DYPER_REPLY[ID]", "WHO")
who = conforms(ask("WHORU"), "DYPER_REPLY[ID](START ARG ENV[KEY] "
               "PROPERTY[KEY] TIME[MILLIS NANO])", "WHORU")
equal(who.find("START").text, program, "WHORU tells the program")
equal([a.text for a in who.iter("ARG")], [fifo], "and its arguments")
equal({e.get("KEY"): e.text or "" for e in who.iter("ENV")}["HOME"],
      os.environ["HOME"], "and its environment")
equal(ask("PING").text, "PONG", "PING")

# ---- variables ----
empty(ask("SET", """
            <SETTINGS>
               <VAR NAME='CHECKTIME' VALUE='5' />
               <VAR NAME='DISABLETIME' VALUE='50' />
            </SETTINGS>"""), "SET of several variables")
empty(ask("SET", "<VAR NAME='MAXDEPTH' VALUE='40' />"), "SET of one")
for name, value in (("CHECKTIME", "5"), ("DISABLETIME", "50"),
                    ("REPORTTIME", "0"), ("MONITOR", "TRUE"),
                    ("SHOWSTACK", "FALSE"), ("CONTENTION", "FALSE"),
                    ("CPUTIME", "TRUE"), ("MAXDEPTH", "40"),
                    ("THREAD_DEFAULT", "TRUE"), ("FULLMONITORING", "FALSE")):
    reply = conforms(ask("GET", f"<VAR NAME='{name}' />"),
                     "DYPER_REPLY[ID](VAR[NAME VALUE])", "GET " + name)
    equal((reply[0].get("NAME"), reply[0].get("VALUE")), (name, value),
          f"{name} is {value}")
for kind in ("CLASS", "METHOD"):
    for name, value in (("MIN_TOTAL", "70"), ("MINIMUM", "7"),
                        ("THRESHOLD", "0.25"), ("STOP_THRESHOLD", "0.125")):
        name = f"{kind}_DETAIL_{name}"
        empty(ask("SET", f"<VAR NAME='{name}' VALUE='{value}' />"),
              "SET " + name)
        equal(float(ask("GET", f"<VAR NAME='{name}' />")[0].get("VALUE")),
              float(value), f"GET {name} tells what was set")
empty(ask("SET", "<VAR NAME='index-cache' VALUE='F' />"), "SET of a setting")
equal(js.call("get", var=[{"name": "INDEX_CACHE"}])["result"],
      {"var": [{"name": "INDEX_CACHE", "value": False}]},
      "a setting, by the other spelling and as JSON")
equal(js.call("get", var=["MAXDEPTH"])["result"],
      {"var": [{"name": "MAXDEPTH", "value": 40}]},
      "an element that has a name alone may be a text in JSON")
refused(ask("GET", "<VAR NAME='NONSENSE' />"), "an unknown variable")
refused(ask("SET", "<VAR NAME='CHECKTIME' VALUE='soon' />"), "a wrong value")
equal(js.call("set", var=[{"name": "CHECKTIME", "value": "soon"}])
      ["error"]["code"], -32602, "which JSON-RPC has a code for")

# ---- details ----
conforms(ask("SETDETAIL", """
           <SETTINGS>
              <DETAIL ITEM='rounds.c' VALUE='T' AGENT='cpu' />
           </SETTINGS>"""),
         "DYPER_REPLY[ID](DETAIL[ITEM VALUE AGENT FUNCTIONS])",
         "SETDETAIL of a class")
work()
got = counts()
equal([got[n] for n in ("step", "inner", "locked", "allocating")],
      [15, 15, 3, 4], "its functions are counted")
empty(ask("SET", "<VAR NAME='MONITOR' VALUE='FALSE' />"), "MONITOR FALSE")
work()
equal(counts()["step"], 15, "suspends the nodes, and does not stop the program")
empty(ask("SET", "<VAR NAME='MONITOR' VALUE='TRUE' />"), "MONITOR TRUE")
work()
equal(counts()["step"], 30, "lets them count again")
empty(ask("CLEAR"), "CLEAR")
equal(counts()["step"], 0, "CLEAR sets the counts to 0")
ask("SETDETAIL", "<DETAIL ITEM='rounds.c' VALUE='0' AGENT='cpu' />")
equal(counts(), {}, "SETDETAIL takes a class out")
for flag in ("True", "t", "1", "true"):
    ask("SETDETAIL", f"<DETAIL ITEM='step' VALUE='{flag}' AGENT='cpu' />")
    equal(len(counts()), 1, f"SETDETAIL of a method, by the flag {flag}")
    ask("SETDETAIL", "<DETAIL ITEM='step' VALUE='F' AGENT='cpu' />")
    equal(len(counts()), 0, "and out again")
refused(ask("SETDETAIL", "<DETAIL ITEM='nobody_has_this' VALUE='T' />"),
        "SETDETAIL of nothing")
refused(ask("SETDETAIL", "<DETAIL ITEM='*' VALUE='T' />"),
        "SETDETAIL of all functions of all modules")
guest = Json(path)
guest.call("setdetail", detail=[{"item": "step", "value": True, "own": True},
                                {"item": "inner", "value": True}])
equal(sorted(counts()), ["inner", "step"], "a front end details two methods")
guest.close()
limit = Limit(30)
while "step" in counts() and not limit.is_over():
    pass
equal(sorted(counts()), ["inner"], "its own goes with it, and the other stays")
js.call("setdetail", detail=[{"item": "inner", "value": False}])

# ---- classes ----
empty(ask("CLASSES", """
           <CLASSES CLEAR='TRUE' CLEARIO='TRUE' CLEARSYSTEM='TRUE'>
              <PACKAGE NAME='/opt/' TYPE='SYSTEM' />
              <PACKAGE NAME='/opt/io/' TYPE='SYSTEM_IO' />
              <CLASS NAME='rounds.c' TYPE='SYSTEM' />
           </CLASSES>"""), "CLASSES")
conforms(ask("GETCLASSES"), "DYPER_REPLY[ID](CLASSES(PACKAGE[NAME TYPE] "
         "CLASS[NAME TYPE]))", "GETCLASSES")
reply = ask("GETCLASSES", "<MATCH TYPE='SYSTEM_IO' NAME='/opt' />")
equal([e.get("NAME") for e in reply[0]], ["/opt/io/"],
      "GETCLASSES by type and prefix")
reply = ask("SETDETAIL", "<DETAIL ITEM='rounds.c' VALUE='T' />")
equal(reply[0].get("FUNCTIONS"), "0", "a system class is not detailed")
ask("SETDETAIL", "<DETAIL ITEM='rounds.c' VALUE='F' />")
ask("CLASSES", "<CLASSES><PACKAGE NAME='/opt' TYPE='NORMAL' /></CLASSES>")
reply = ask("GETCLASSES", "<MATCH NAME='/opt' />")
equal([(e.get("NAME"), e.get("TYPE")) for e in reply[0]],
      [("/opt", "NORMAL")], "a package removes what was set below it")
js.call("classes", **{"clear": True})

# ---- stacks ----
reply = ask("SHOWSTACK")
equal([e.tag for e in reply], ["THREADS"], "SHOWSTACK")
check(0 < int(reply[0].get("STOOD_NS")) < 30e9,
      "it tells for how long the program stood still", reply[0].attrib)
threads = {t.get("NAME"): t for t in reply.iter("THREAD")}
equal(sorted(threads), ["helper", "idler", "rounds"], "it has all threads")
equal(set(threads["idler"].attrib) >= {"ID", "NAME", "STATE"}, True,
      "each with id, name and state")
equal(threads["idler"].get("STATE"), "SLEEPING", "the idler sleeps")
methods = [s.get("METHOD") for s in threads["idler"]]
check("idle" in methods and
      methods.index("idle") + 1 == methods.index("idler"),
      "the frames are there, the innermost first", methods)
frame = [s for s in threads["idler"] if s.get("METHOD") == "idle"][0]
equal((frame.get("CLASS"), frame.get("MODULE"),
       frame.get("LINE", "").isdigit()), ("rounds.c", "rounds", True),
      "a frame has its class, its module and its line")

# ---- threads ----
helper = threads["helper"].get("ID")
ask("SETDETAIL", "<DETAIL ITEM='step' VALUE='T' />")
empty(ask("USETHREAD", f"""
           <THREADS>
              <THREAD ID='{helper}' IGNORE='TRUE' USE='TRUE' />
           </THREADS>"""), "USETHREAD")
work()
equal(counts()["step"], 10, "an ignored thread does not count")
ask("USETHREAD",
    f"<THREADS><THREAD ID='{helper}' IGNORE='F' USE='T' /></THREADS>")
ask("SET", "<VAR NAME='THREAD_DEFAULT' VALUE='FALSE' />")
work()
equal(counts()["step"], 15, "THREAD_DEFAULT FALSE: only used threads count")
ask("SET", "<VAR NAME='THREAD_DEFAULT' VALUE='TRUE' />")
js.call("usethread", thread=[{"id": int(helper)}])
work()
equal(counts()["step"], 30, "and with TRUE all of them again")
refused(ask("USETHREAD", "<THREADS><THREAD ID='1' USE='T' /></THREADS>"),
        "USETHREAD of a foreign thread")
ask("SETDETAIL", "<DETAIL ITEM='step' VALUE='F' />")
equal(counts(), {"step": 30}, "the row of what has counted stays")
empty(ask("CLEAR"), "CLEAR of everything")
equal(counts(), {}, "until the counters are cleared")

# ---- agents and reports ----
def agent(name):
    reply = js.call("report", type=name)["result"]["agents"]
    return {f["name"].split(":")[-1]: f["count"]
            for f in reply[0]["function"]}


# SETDETAIL answers with an agent, which REPORT and CLEAR know.
refused(ask("REPORT", "<REPORT TYPE='cpu' />"), "REPORT of no agent")
reply = ask("SETDETAIL", "<DETAIL ITEM='step' VALUE='T' />")[0]
equal(reply.get("AGENT"), "cpu", "a detail belongs to the agent cpu")
work()
equal(agent("cpu"), {"step": 15}, "which reports it")
equal("samples" in js.call("report", type="cpu")["result"]["agents"][0], False,
      "and has no samples, because nobody has added it")
empty(ask("CLEAR", "<CLEAR AGENT='cpu' />"), "CLEAR knows it, too")
work()
equal((agent("cpu"), counts()), ({"step": 15}, {"step": 30}),
      "and clears it alone")
empty(ask("AGENT", "<AGENT CLASS='cpu' />"), "AGENT adds the same one")
equal((agent("cpu"),
       "samples" in js.call("report", type="cpu")["result"]["agents"][0]),
      ({"step": 15}, True), "which goes on, and samples")
js.call("agent", **{"class": "cpu", "value": False})
equal(agent("cpu"), {"step": 15}, "removed, it keeps what is detailed for it")
ask("SETDETAIL", "<DETAIL ITEM='step' VALUE='F' />")
refused(ask("CLEAR", "<CLEAR AGENT='cpu' />"),
        "when nothing is, there is no such agent")
empty(ask("CLEAR"), "CLEAR of everything, again")

for name in ("cpu", "heap", "sync", "threads"):
    empty(ask("AGENT", f"<AGENT CLASS='{name}' />"), "AGENT " + name)
refused(ask("AGENT", "<AGENT CLASS='/nobody/has/this' />"),
        "AGENT of nothing")
empty(ask("SET", "<VAR NAME='CONTENTION' VALUE='TRUE' />"), "SET CONTENTION")
equal(ask("GET", "<VAR NAME='CONTENTION' />")[0].get("VALUE"), "TRUE",
      "and GET tells it")
equal(js.call("report")["result"]["contention"]["locks"], [],
      "which adds the waits for locks to the report")
empty(ask("SET", "<VAR NAME='CONTENTION' VALUE='FALSE' />"),
      "and FALSE ends it")
work()
work(b"s", 3)


equal(agent("heap")["malloc"], 4, "the agent heap has counted malloc")
equal(agent("sync")["pthread_mutex_lock"], 3, "the agent sync the mutex")
empty(ask("CLEAR", "<CLEAR AGENT='heap' />"), "CLEAR of one agent")
equal((agent("heap")["malloc"], agent("sync")["pthread_mutex_lock"]), (0, 3),
      "clears that agent alone")
report = ask("REPORT", "<REPORT TYPE='ALL' />")
equal((report.tag, [e.tag for e in report]), ("DYPER_REPLY", ["REPORT"]),
      "REPORT")
everything = js.call("report")["result"]
once = js.call("report", buckets_once=True)["result"]
of_legs = {leg["id"]: [dict(zip(("from", "to", "count"), bucket))
                       for bucket in leg["buckets"]] for leg in once["legs"]}
timed = [h for h in everything["histograms"] if h["of"] == "leg"]
equal([h["buckets"] for h in timed], [of_legs[h["id"]] for h in timed],
      "the buckets of a leg are those of its histogram")
check(any(h["buckets"] for h in timed), "which has some", timed)
equal({h["buckets"] for h in once["histograms"] if h["of"] == "leg"}, {None},
      "and can do without")
check({"legs", "nodes", "threads", "samples", "agents", "summary"} <=
      set(everything), "a report has everything measured", list(everything))
samples = everything["samples"]
classes = {c["name"]: c for c in samples["class"]}
spun = {m["name"]: m for m in classes["rounds.c"]["method"]}["spinning"]
check(samples["ticks"] > 0 and spun["total"] * 2 > samples["ticks"],
      "most ticks are in or below spinning()", samples)
equal({t["name"] for t in everything["threads"]},
      {"rounds", "idler", "helper"}, "and all threads are in it")
for name in ("cpu", "heap", "sync", "threads"):
    js.call("agent", **{"class": name, "value": False})
equal(counts(), {}, "agents that were removed leave no legs")

# io and threads, against the kernel's own figures
for name in ("io", "threads"):
    js.call("agent", **{"class": name})
    js.call("clear", agent=name)


def on_cpu():
    """How long the threads were on a CPU, in ns."""
    return {int(tid): int(open(f"/proc/{pid}/task/{tid}/schedstat")
                          .read().split()[0])
            for tid in os.listdir(f"/proc/{pid}/task")}


def used():
    return {t["id"]: t["cpu_ns"] for t in
            js.call("report", type="threads")["result"]["agents"][0]["thread"]}


first = [on_cpu(), used(), on_cpu()]
work(b"s", 2)
work(b"r", 7)
last = [on_cpu(), used(), on_cpu()]
# The line can be read before write() has returned.
limit = Limit(30)
while agent("io")["write"] < 9 and not limit.is_over():
    time.sleep(0.01)
equal(agent("io")["write"], 9, "the agent io has counted each line")
check(all(last[0][tid] - first[2][tid] <= last[1][tid] - first[1][tid] <=
          last[2][tid] - first[0][tid] for tid in first[0]),
      "the agent threads has the times of the kernel", (first, last))
check(last[1][pid] - first[1][pid] > 150000000, "which are those of the work")
for name in ("io", "threads"):
    js.call("agent", **{"class": name, "value": False})

# a script of commands
script = folder + "/script.pt"
with open(script, "w", encoding="utf-8") as text:
    text.write("# what a round does\ntime step@rounds\nbreak locked if 1\n"
               "add leg allocating locked\n")
broken = folder + "/broken.pt"
with open(broken, "w", encoding="utf-8") as text:
    text.write("time inner\nbreak idle if 1\ntmie step\n")
js.call("command", line="break entry inner if 1")
before = js.call("command", line="list breaks")["result"]["output"]
empty(ask("AGENT", f"<AGENT CLASS='{script}' />"), "AGENT of a script")
refused(ask("AGENT", f"<AGENT CLASS='{broken}' />"), "a script that fails")
equal(sorted(counts()), ["allocating -> locked", "step"], "leaves no leg")
work(b"r", 2)


def of_script():
    reply = js.call("report", type=script)["result"]["agents"][0]
    return ({f["name"]: f["count"] for f in reply["function"]},
            {n["name"]: n["count"] for n in reply["node"]})


# locked() is called before allocating() in a round
equal(of_script(), ({"step": 30, "allocating -> locked": 1},
                    {"step": 30, "return step": 30, "locked": 6,
                     "allocating": 8}),
      "the agent has the legs and nodes of its script")
js.call("clear", agent=script)
work()
equal(of_script()[1]["locked"], 3, "since it was cleared")
report = ask("REPORT", f"<REPORT TYPE='{script}' />")
equal(sorted({e.tag for e in report.iter("AGENTS")
              for e in e}), ["FUNCTION", "NODE"], "also in XML")
js.call("agent", **{"class": script, "value": False})
equal(counts(), {}, "an agent that was removed leaves no legs")
equal(js.call("command", line="list breaks")["result"]["output"].split(" if ")[0],
      before.split(" if ")[0], "and no breakpoints")
js.call("command", line="delete breaks")

# ---- the class model ----
reply = ask("CLASSMODEL")
equal(reply[0].tag, "CLASSMODEL", "CLASSMODEL")
equal(sorted({e.tag for e in reply[0]}), ["CLASS", "CLASSPATH", "USER"],
      "with its parts")
check(reply[0].get("CANDREDFINE") in ("TRUE", "FALSE"), "and CANDREDFINE")
module = [c for c in reply[0].iter("CLASS") if c.get("NAME") == "rounds"][0]
method = [m for m in module if m.get("NAME") == "step"][0]
equal((method.get("FILE"), method.get("LINE", "").isdigit()),
      ("rounds.c", True), "a function has its file and line")
reply = ask("CLASSMODEL", "<OPTIONS BINARY='TRUE' NAME='rounds' />")
binary = reply[0].find("CLASS").find("BINARY")
with open(program, "rb") as file:
    equal(base64.b64decode(binary.text) == file.read(), True,
          "BINARY is the file itself")

# ---- DYPATCH ----
reply = patch("PING")
equal((reply.tag, reply.text), ("DYPATCH_REPLY", "PONG"), "PING of DYPATCH")
done = "DYPATCH_REPLY[ID]"
conforms(patch("DIRECTORY", folder), done, "DIRECTORY")
conforms(patch("MODEL", """
           <MODEL NAME='all'>
              <FOR CLASS='rounds.c' METHOD='step' UPDATE='NEW'>
                 <PATCH WHAT='ENTER' MODE='time' />
                 <PATCH WHAT='EXIT' MODE='time' />
                 <PATCH WHAT='BLOCK_START' MODE='count' />
                 <PATCH WHAT='STATIC_WRITE' MODE='count'>
                    <WHEN CASE='FIELD' ARG='written' />
                 </PATCH>
                 <PATCH WHAT='CALL' MODE='count'>
                    <WHEN CASE='METHOD' ARG='inner' />
                 </PATCH>
              </FOR>
              <FOR CLASS='rounds.c' METHOD='locked' UPDATE='ADD'>
                 <PATCH WHAT='SYNC_TEST' MODE='count' />
                 <PATCH WHAT='SYNC_ENTER' MODE='count' />
                 <PATCH WHAT='SYNC_EXIT' MODE='count' />
              </FOR>
              <FOR CLASS='rounds.c' METHOD='allocating' UPDATE='ADD'>
                 <PATCH WHAT='OBJECT_ALLOC' MODE='count' />
                 <PATCH WHAT='ENTER' MODE='histogram' />
                 <PATCH WHAT='EXIT' MODE='count' />
              </FOR>
           </MODEL>"""), done, "MODEL")
reply = conforms(patch("PATCH", """
           <PATCH ALL='TRUE' MODEL='all'>
              <CLASS NAME='libc.so.6' />
           </PATCH>"""), "DYPATCH_REPLY[ID](PATCH(CLASS[NAME ORIG] "
                 "CLASS[NAME ORIG PATCH]))", "PATCH")
ours = reply[0][1]
equal((ours.get("NAME"), os.path.exists(ours.get("PATCH"))),
      ("rounds.c", True), "names the class and its file")
with open(ours.get("PATCH")) as file:
    equal([line.rstrip("\n") for line in file],
          ["step ENTER time", "step EXIT time", "step BLOCK_START count",
           "step STATIC_WRITE count WHEN FIELD written",
           "step CALL count WHEN METHOD inner", "locked SYNC_TEST count",
           "locked SYNC_ENTER count", "locked SYNC_EXIT count",
           "allocating OBJECT_ALLOC count", "allocating ENTER histogram",
           "allocating EXIT count"], "the file has each patch, with its WHEN")
before = time.time() * 1000
reply = conforms(ask("INSTRUMENT", f"""
           <MODEL NAME='all' INSERT='TRUE'>
              <PATCH CLASS='rounds.c' ORIG='{ours.get("ORIG")}'
                     PATCH='{ours.get("PATCH")}' />
           </MODEL>"""), "DYPER_REPLY[ID](PATCH[TIME])" if watches == "yes" else
                 "DYPER_REPLY[ID](PATCH[TIME](LEFT[CLASS METHOD WHAT WHY]))",
                 "INSTRUMENT")
if watches == "no":
    left = reply[0][0]
    check(left.get("WHAT") == "STATIC_WRITE" and
          "does not report what it watches" in left.get("WHY"),
          "and says that nothing can be watched", left.attrib)
check(before - 1 <= int(reply[0].get("TIME")) <= time.time() * 1000 + 1,
      "tells when the patches were in place", reply[0].attrib)


def nodes():
    """The counts of the nodes that are not deleted, by kind and place."""
    rows = js.call("report")["result"]["nodes"]
    return {n["kind"] + " " + n["location"]: n["count"] for n in rows
            if n["count"]}


work()
got = nodes()
for place, count in (("call inner in rounds.c:step", 15),
                     ("sync sync test in rounds.c:locked", 3),
                     ("sync sync enter in rounds.c:locked", 3),
                     ("sync sync exit in rounds.c:locked", 3),
                     ("allocation allocations in rounds.c:allocating", 4),
                     ("entry rounds.c:allocating", 4),
                     ("return rounds.c:allocating", 4),
                     ("watch written", 15 if watches == "yes" else None)):
    equal(got.get(place), count, f"{place}: {count} times")
check(got.get("block rounds.c:step", 0) >= 15, "the blocks count", got)
equal(counts(), {"step": 15}, "ENTER and EXIT with `time` are one leg")
work()
conforms(ask("INSTRUMENT", "<MODEL NAME='all' INSERT='FALSE' />"),
         "DYPER_REPLY[ID](PATCH[TIME])", "INSTRUMENT takes them out")
work()
equal((counts(), nodes().get("watch written")),
      ({}, 30 if watches == "yes" else None), "and nothing counts")
conforms(patch("MODEL", """
           <MODEL NAME='all'>
              <FOR CLASS='*' METHOD='*' UPDATE='NEW' />
           </MODEL>"""), done, "MODEL clears all methods")
reply = patch("PATCH", "<PATCH MODEL='all'><CLASS NAME='rounds.c' /></PATCH>")
equal("PATCH" in reply[0][0].attrib, False, "a class without patches")
conforms(patch("MODEL", "<MODEL NAME='all'><FOR CLASS='a' METHOD='b'>"
               "<PATCH WHAT='NOTHING' MODE='count' /></FOR></MODEL>"),
         "DYPATCH_REPLY[ID](ERROR[CODE])", "an unknown WHAT")

# ---- modes ----
with open(folder + "/modes.xml", "w") as file:
    file.write("""
   <DYPATCH>
   <DYPATCH_MODE NAME='large' CONTEXT='none'>
      <CODE TYPE='CALL' METHOD='count'>
         <CONDITION TYPE='ARG' LVALUE='1' RVALUE='64' />
      </CODE>
   </DYPATCH_MODE>
   </DYPATCH>""")
with open(folder + "/modes.json", "w") as file:
    json.dump({"dypatch_mode": [{"name": "sizes", "code": [
        {"type": "CALL", "method": "histogram",
         "arg": [{"type": "ARG", "value": "1"}]}]}]}, file)
conforms(patch("MODES", folder + "/modes.xml"),
         "DYPATCH_REPLY[ID](MODE[NAME])", "a resource file in XML")
equal([m["name"] for m in js.call("modes", file=folder + "/modes.json")
       ["result"]["mode"]],
      ["count", "time", "histogram", "trace", "large", "sizes"],
      "one in JSON, beside the modes that come with the tool")
reply = conforms(patch("MODES", """
   <DYPATCH_MODE NAME='of a message' CONTEXT='c'>
      <CODE TYPE='CALL' CLASS='c' METHOD='count' SIGNATURE='s'>
         <ARG TYPE='ARG' VALUE='1' />
         <RETURN TYPE='CONTEXT' />
      </CODE>
      <INSTRUCTION />
   </DYPATCH_MODE>"""), "DYPATCH_REPLY[ID](MODE[NAME])", "modes in a message")
equal([mode.get("NAME") for mode in reply][-2:], ["sizes", "of a message"],
      "are added")
equal([m["name"] for m in js.call("modes", dypatch_mode=[
    {"name": "of JSON", "code": [{"method": "count"}]}])["result"]["mode"]][-2:],
      ["of a message", "of JSON"], "and those in JSON, too")
for name, params in (
        ("a file and modes", {"file": folder + "/modes.json", "dypatch_mode":
                              [{"name": "x", "code": [{"method": "count"}]}]}),
        ("a mode without code", {"dypatch_mode": [{"name": "x"}]})):
    equal(js.call("modes", **params)["error"]["code"], -32602, name)
equal(len(js.call("modes")["result"]["mode"]), 8, "an error adds no mode")
js.call("model", name="sizes", **{"for": [
    {"class": "rounds.c", "method": "allocating", "update": "NEW",
     "patch": [{"what": "ENTER", "mode": "large"},
               {"what": "EXIT", "mode": "no such"}]}]})
equal(js.call("instrument", name="sizes", insert=True)["error"]["code"],
      -32000, "a mode that does not exist")
js.call("model", name="sizes", **{"for": [
    {"class": "rounds.c", "method": "allocating", "update": "NEW",
     "patch": [{"what": "ENTER", "mode": "large"}]},
    {"class": "rounds.c", "method": "locked", "update": "ADD",
     "patch": [{"what": "ENTER", "mode": "trace"}]}]})
listed = js.call("patch", model="sizes", all=True)["result"]["class"]
equal([one["name"] for one in listed], ["rounds.c"], "PATCH by JSON-RPC")
with open(listed[0]["patch"]) as file:
    equal(file.read(), "allocating ENTER large CONDITION $arg1 == 64\n"
          "locked ENTER trace\n", "the file has the CONDITION of a mode")
js.call("clear")
equal(js.call("instrument", name="sizes", insert=True)["result"]["left"], [],
      "INSTRUMENT by JSON-RPC")
work()
equal(nodes().get("entry rounds.c:allocating"), 1,
      "a mode with a condition counts where it is true")
js.call("instrument", name="sizes", insert=False)
with open(folder + "/sizes.csv") as file:
    equal(len(file.readlines()), 4, "the mode trace writes each execution")

# ---- patches that are refused ----
nowhere = {"type": "LOCAL", "value": "nobody_has_this"}
js.call("modes", dypatch_mode=[
    {"name": name, "code": [{"method": method, "arg": args}]}
    for name, method, args in (
        ("by nothing", "count", [nowhere]),
        ("time by nothing", "time", [nowhere]),
        ("of nothing", "histogram", [nowhere]),
        ("of 1 by nothing", "histogram",
         [{"type": "INTEGER", "value": "1"}, nowhere]))])


def traces():
    """What a patch can leave behind: breakpoints, rows of nodes and legs."""
    tables = js.call("report")["result"]
    return (js.call("command", line="list breaks")["result"]["output"],
            [n["id"] for n in tables["nodes"]],
            [leg["id"] for leg in tables["legs"]])


before = traces()
for mode in ("by nothing", "time by nothing", "of nothing", "of 1 by nothing"):
    js.call("model", name="refused", **{"for": [
        {"class": "rounds.c", "method": "step", "update": "NEW",
         "patch": [{"what": "ENTER", "mode": mode},
                   {"what": "EXIT", "mode": mode}]}]})
    left = js.call("instrument", name="refused", insert=True)["result"]["left"]
    equal([(one["what"], "nobody_has_this" in one["why"]) for one in left],
          [("ENTER", True), ("EXIT", True)], f"the mode {mode} is refused")
    equal(traces(), before, "and leaves nothing behind")
    js.call("instrument", name="refused", insert=False)

# ---- methods that are nowhere ----
def model_of(*methods):
    js.call("model", name="some", **{"for": [
        {"class": "*", "method": "*", "update": "NEW"}]})
    js.call("model", name="some", **{"for": [
        {"class": one, "method": method, "update": "NEW",
         "patch": [{"what": "ENTER", "mode": "count"}]}
        for one, method in methods]})


model_of(("rounds.c", "nobody_has_this"), ("rounds.c", "inner"),
         ("nobody_has_this.c", "*"))
reply = conforms(ask("INSTRUMENT", "<MODEL NAME='some' INSERT='TRUE' />"),
                 "DYPER_REPLY[ID](PATCH[TIME](LEFT[CLASS METHOD WHAT WHY]))",
                 "INSTRUMENT, if some methods are nowhere")
equal([(one.get("CLASS"), one.get("METHOD")) for one in reply.iter("LEFT")],
      [("rounds.c", "nobody_has_this"), ("nobody_has_this.c", "*")],
      "tells which they are")
work()
equal(nodes().get("entry rounds.c:inner"), 15, "and the others count")
js.call("instrument", name="some", insert=False)
model_of(("nobody_has_this.c", "*"), ("rounds.c", "nobody_has_this"))
equal(js.call("instrument", name="some", insert=True)["error"],
      {"code": -32000, "message": "no source file with debug information, no "
       "module and no function is named `nobody_has_this.c'"},
      "it is an error if all are")
js.call("model", name="some", **{"for": [
    {"class": "*", "method": "*", "update": "NEW"},
    {"class": "rounds.c", "method": "*", "update": "NEW",
     "patch": [{"what": "SYNC_TEST", "mode": "count"}]}]})
left = js.call("instrument", name="some", insert=True)["result"]["left"]
check("rounds.c:step@rounds" in [one["function"] for one in left] and
      "rounds.c:locked@rounds" not in [one["function"] for one in left],
      "a function of a pattern in which a patch has no place is named", left)
left = js.call("instrument", name="some", insert=True,
               patch=[{"class": "rounds.c"}, {"class": "ruonds.c"}])
equal([one for one in left["result"]["left"] if "method" not in one],
      [{"class": "ruonds.c", "why": "the model has no patches of it"}],
      "a class that is chosen and not in the model is named")
js.call("instrument", name="some", insert=False)

# ---- what an operation does not know ----
for command, data, problem in (
        ("PING", "<X/>", "PING has no `x'; there are no parameters"),
        ("PING", "text", "PING has no `text'; there are no parameters"),
        ("SET", "<VAR NAME='CHECKTIME' VALUE='20' UNIT='s'/>",
         "SET has no `unit' in `var'; there are: name, value"),
        ("SETDETAIL", "<SETTINGS><DETAIL ITEM='step' VALUE='T'/><DETIAL/>"
         "</SETTINGS>", "SETDETAIL has no `detial'; there are: detail, own"),
        ("REPORT", "<REPORT KIND='ALL'/>",
         "REPORT has no `kind'; there are: type, buckets_once"),
        ("REPORT", "<REPORT/><REPORT/>",
         "REPORT has no `report'; there are: type, buckets_once")):
    error = ask(command, data).find("ERROR")
    equal((error.get("CODE"), error.text) if error is not None else None,
          ("-32602", problem), f"{command} with {data}")
equal(counts(), {}, "and nothing is done")
error = patch("MODEL", "<MODEL NAME='sizes'><FOR CLASS='a' METHOD='b'>"
              "<PATCH WHAT='ENTER' MODE='count'><WEHN/></PATCH></FOR></MODEL>"
              ).find("ERROR")
equal(error is not None and error.text,
      "MODEL has no `wehn' in `for.patch'; there are: what, mode, when",
      "a child of a child")
for method, params, problem in (
        ("ping", {"x": 1}, "PING has no `x'; there are no parameters"),
        ("get", {"var": [{"name": "CHECKTIME"}], "name": "MAXDEPTH"},
         "GET has no `name'; there are: var"),
        ("get", {"NAME": "CHECKTIME"},
         "GET has no `NAME'; there are: name (or var, which has these)"),
        ("set", {"CHECKTIME": 5},
         "SET has no `CHECKTIME'; there are: name, value (or var, which has these)"),
        ("get", {"var[].name": "CHECKTIME"},
         "GET has no `var[].name'; there are: var"),
        ("command", {"line": "show format", "column": 80},
         "COMMAND has no `column'; there are: line, columns"),
        ("modes", {"dypatch_mode": [{"name": "x", "code": [
            {"method": "count", "args": []}]}]},
         "MODES has no `args' in `dypatch_mode.code'; there are: method, type, "
         "condition, arg, class, signature, return")):
    equal(js.call(method, **params).get("error"),
          {"code": -32602, "message": problem}, f"{method} with {params}")
for data, name in (("", "empty"), ("<REPORT/>", "an empty wrapper"),
                   ("<REPORT TYPE='ALL'/>", "one with a parameter")):
    equal(ask("REPORT", data).find("ERROR"), None, f"REPORT, {name}")
equal([one.get("VALUE") for one in xml.ask(
    f"<DYPER PID='{pid}' XCOMMAND='SETDETAIL' OWN='F'><SETTINGS>"
    "<DETAIL ITEM='step' VALUE='F'/></SETTINGS></DYPER>")], ["FALSE"],
      "parameters within a wrapper and beside it")

# ---- what is a front end's own ----
guest = Xml(path)
for command, data in (
        ("INSTRUMENT", "<MODEL NAME='sizes' INSERT='TRUE' OWN='TRUE' />"),
        ("AGENT", "<AGENT CLASS='heap' OWN='TRUE' />"),
        ("CLASSES", "<CLASSES OWN='TRUE'><CLASS NAME='own.c' TYPE='IO' />"
                    "</CLASSES>"),
        ("SETDETAIL", "<SETTINGS OWN='TRUE'><DETAIL ITEM='step' VALUE='T' />"
                      "</SETTINGS>")):
    guest.ask(f"<DYPER XCOMMAND='{command}'>{data}</DYPER>")


def own_things():
    return (bool(js.call("getclasses", name="own.c")["result"]["class"]),
            "error" not in js.call("report", type="heap"),
            "locked" in counts(), "step" in counts())


equal(own_things(), (True,) * 4, "a front end has things of its own")
guest.close()
limit = Limit(30)
while any(own_things()) and not limit.is_over():
    pass
equal(own_things(), (False,) * 4, "which all go with it")
work()
equal(nodes().get("entry rounds.c:allocating"), 1, "and count no more")

# ---- what comes by itself ----
other = Xml(path)
other.ask("<DYPER XCOMMAND='SET'><SETTINGS>"
          "<VAR NAME='REPORTTIME' VALUE='20' />"
          "<VAR NAME='SHOWSTACK' VALUE='TRUE' />"
          "<VAR NAME='MONITOR' VALUE='FALSE' /></SETTINGS></DYPER>")
found = {}
limit = Limit(30)
while not {"REPORT", "DUMP"} <= set(found) and not limit.is_over():
    message = other.message()
    for word in ("REPORT", "DUMP"):
        if word in message.attrib:
            found[word] = message
equal([(list(found[w].attrib), [e.tag for e in found[w]])
       for w in ("REPORT", "DUMP")],
      [(["REPORT", "TIME"], ["REPORT"]), (["DUMP", "TIME"], ["THREADS"])],
      "REPORT and DUMP come by themselves, also while the monitor is off")
other.close()
equal(js.call("get", var=[{"name": "SHOWSTACK"}])["result"]["var"][0]["value"],
      False, "SHOWSTACK belongs to the front end that has set it")

bytes_of_work.close()
server.stdout.read()
equal(server.wait(), 0, "the program has ended by itself")
