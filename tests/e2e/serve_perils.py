"""What front ends may do wrong, and that nobody else suffers from it.

    serve_perils.py PERFTOOL PROGRAM DOCUMENT FOLDER

PROGRAM is tests/programs/server, DOCUMENT is doc/PROTOCOL.md, from which the
operations and the types of their parameters are read. The script prints a line
for each check: "pass NAME", or "fail NAME: what it got"."""
import copy
import json
import os
import re
import socket
import subprocess
import sys
import threading

from front_end import FrontEnd, Json, Xml, connect

perftool, program, document, folder = sys.argv[1:]
path = folder + "/socket"
server = subprocess.Popen(
    [perftool, "serve", "-q", "-n", "--socket", path, program, "1"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
server.stdout.readline()
steady = Json(path)
pid = steady.call("who")["result"]["pid"]


def check(good, name, got=""):
    print("pass " + name if good else f"fail {name}: {got}"[:800])
    sys.stdout.flush()


def work(number):
    """Has the program call work() so many times; returns what it says."""
    server.stdin.write(f"{number}\n")
    server.stdin.flush()
    return server.stdout.readline().split()


def lives():
    """Do the server and the program work on?"""
    return steady.call("ping").get("result") == "PONG" and \
        work(3)[:2] == ["done", "3"]


def memory(word):
    """Memory of the server in kB: VmRSS, or its highest value, VmHWM."""
    with open(f"/proc/{server.pid}/status") as file:
        return int(re.search(word + r":\s+(\d+)", file.read())[1])


def files():
    return len(os.listdir(f"/proc/{server.pid}/fd"))


first = files()


def until(condition):
    """Wait until the server has noticed something. Each ping is a turn of it."""
    for _ in range(10000):
        if condition():
            return True
        steady.call("ping")
    return False


# ---- messages that are wrong -------------------------------------------------

def send_all(front_end, data):
    """Send what the server takes: it may close the connection before the end."""
    try:
        front_end.send(data)
    except (BrokenPipeError, ConnectionResetError):
        pass


def xml(inner, begin="<DYPER XCOMMAND='PING'>"):
    return (begin + inner + "</DYPER>").encode()


LAUGHS = "<!DOCTYPE a [<!ENTITY l0 'ha'>" + "".join(
    f"<!ENTITY l{i} '{f'&l{i - 1};' * 10}'>" for i in range(1, 10)) + "]>"

# A connection is closed after each of these, as nobody can say where the next
# message begins.
BAD_XML = {
    "a billion laughs": (LAUGHS + "<a>&l9;</a>").encode(),
    "quadratic entities": ("<!DOCTYPE a [<!ENTITY b '" + "x" * 50000 +
                           "'>]><a>" + "&b;" * 50000 + "</a>").encode(),
    "an external entity": b"<!DOCTYPE a [<!ENTITY b SYSTEM "
                          b"'file:///etc/passwd'>]><a>&b;</a>",
    "an external DTD": b"<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/a.dtd'><a/>",
    "a parameter entity": b"<!DOCTYPE a [<!ENTITY % b SYSTEM "
                          b"'file:///dev/zero'> %b;]><a/>",
    "an entity without a DOCTYPE": xml("&b;"),
    "deep nesting": b"<a>" * 100000,
    "a huge message": xml("x" * 1100000),
    "a huge attribute": xml("", "<DYPER XCOMMAND='PING' A='" + "x" * 1100000
                            + "'>"),
    "many attributes": xml("", "<DYPER XCOMMAND='PING' " + " ".join(
        f"a{i}=''" for i in range(50000)) + ">"),
    "many elements": xml("<a/>" * 100000),
    "UTF-16": "<?xml version='1.0'?><DYPER COMMAND='PING'/>".encode("utf-16"
                                                                    "-le"),
    "Latin-1 that says so": "<?xml version='1.0' encoding='ISO-8859-1'?>"
                            "<DYPER COMMAND='PING' A='\xe9'/>".encode("latin-1"),
    "wrong UTF-8": xml("").replace(b"PING", b"PI\xc3\x28NG"),
    "a zero byte": xml("a\0b"),
    "two roots": b"<DYPER COMMAND='PING'/>x",
    "a tag in a tag": b"<DYPER <DYPER COMMAND='PING'/>",
    "the same attribute twice": b"<DYPER COMMAND='PING' COMMAND='WHO'/>",
}
BAD_JSON = {
    "deep nesting": b'{"a":' + b"[" * 60000 + b"\n",
    "a huge message": b'{"a":"' + b"x" * 1100000 + b'"}\n',
    "many values": b'{"a":[' + b"{}," * 100000 + b"{}]}\n",
    "a zero byte": b'{"jsonrpc":"2.0","id":1,"method":"ping\0"}\n',
    "wrong UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xc3\x28"}\n',
    "UTF-16": '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'.encode("utf-16-le"),
    "a batch": b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n',
    "a comment": b'{"jsonrpc":"2.0",/* x */"id":1,"method":"ping"}\n',
    "XML": b"<DYPER COMMAND='PING'/>\n",
    "HTTP": b"GET / HTTP/1.1\r\n",
}


def ask_xml(data):
    """What a front end gets: replies, and whether the connection is closed."""
    front_end = Xml(path)
    send_all(front_end, data)
    replies = []
    while (message := front_end.message()) is not None:
        if message.tag.endswith("_REPLY"):
            replies.append(message)
    front_end.close()
    return replies


def bad_messages():
    for name, data in BAD_XML.items():
        try:
            replies = ask_xml(data)
            errors = [one for one in replies if one.find("ERROR") is not None]
            check(len(errors) == 1 and errors[0] is replies[-1] and lives(),
                  "XML: " + name, replies)
        except (OSError, TypeError) as error:
            check(False, "XML: " + name, repr(error))
    for name, data in BAD_JSON.items():
        # The first message chooses the encoding.
        front_end = Json(path)
        front_end.call("ping")
        front_end.send(data)
        reply = front_end.reply()
        if name == "UTF-16":  # its newline is two bytes, the first one ours
            front_end.send("\n")
            front_end.reply()
        check("error" in reply and front_end.call("ping").get("result") ==
              "PONG" and lives(), "JSON: " + name, reply)
        front_end.close()


def half_messages():
    until(lambda: files() <= first)
    before = files()
    for data in [b"", b" ", b"<", b"<DYPER", b"<DYPER A='", b"<!--", b"<![CD",
                 b"<DYPER><a>", b"{", b'{"jsonrpc":"2.0"', b"\0", b"x",
                 b'{"jsonrpc":"2.0","id":1,"method":"report"}\n{"']:
        for _ in range(20):
            front_end = FrontEnd(path)
            front_end.send(data)
            front_end.close()
    got = []
    for _ in range(20):  # the end of what is sent, but not of what is read
        front_end = Xml(path)
        front_end.send("<DYPER COMMAND='PING'/>" * 100 + "<DYPER COMM")
        front_end.file.shutdown(socket.SHUT_WR)
        while (message := front_end.message()) is not None:
            got.append(message.text)
        front_end.close()
    check(got.count("PONG") == 2000,
          "what came before the end is answered", got.count("PONG"))
    front_end = FrontEnd(path)
    front_end.send(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    front_end.file.shutdown(socket.SHUT_WR)
    reply = b""
    while part := front_end.file.recv(4096):
        reply += part
    front_end.close()
    check(b'"id":1,"result":"PONG"' in reply,
          "the end of what is sent ends a line, too", reply)
    check(until(lambda: files() <= before) and lives(),
          "half messages leave nothing open", f"{before} files, now {files()}")


# ---- a million messages ------------------------------------------------------

MILLION = 1000000
# How much memory of the server may grow, in kB. With sanitizers, memory that was
# freed is not used again for long.
MEMORY = (512 if "build-san" in perftool else 64) * 1024
FLOOD = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'


class Flood:
    """A front end that sends FLOOD at least so many times, and until it is told
    to stop. It counts the replies."""

    def __init__(self, number):
        self.file = connect(path)
        self.number, self.sent, self.replies = number, 0, 0
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=one)
                        for one in (self.send, self.count)]
        for one in self.threads:
            one.start()

    def send(self):
        while self.sent < self.number or not self.stop.is_set():
            self.file.sendall(FLOOD * 1000)
            self.sent += 1000
        self.file.shutdown(socket.SHUT_WR)

    def count(self):
        while more := self.file.recv(1 << 20):
            self.replies += more.count(b"\n")

    def wait(self):
        self.stop.set()
        for one in self.threads:
            one.join()
        self.file.close()


def floods():
    """While a front end floods the server, the others get replies, and the
    program goes on, although each of its calls of work() stops at int3s. The tool
    has as much time for it as for the flood, so that it answers some tens of
    messages for each stop. When the program had the tool only between two turns
    for front ends, it answered a thousand."""
    steady.call("command", line="set mechanism int3")
    steady.call("command", line="time work")
    before, calls, pings = memory("VmHWM"), 0, 0
    flood = Flood(MILLION)
    while flood.threads[1].is_alive() and calls < 4000:
        calls += int(work(100)[1])
        pings += steady.call("ping")["result"] == "PONG"
    replies = flood.replies
    flood.wait()
    check(calls == 4000 and pings == 40 and replies < 400 * calls,
          "the program and another front end go on beside a flood",
          f"{calls} calls and {pings} pings during {replies} messages")
    # START is one more line.
    check(flood.replies - 1 == flood.sent >= MILLION,
          "a million messages are answered", f"{flood.replies}")
    growth = memory("VmHWM") - before
    check(growth < MEMORY, "and take no memory", f"{growth} kB")
    steady.call("command", line="delete leg 0")
    # Such messages are short, and what they ask for takes long.
    before = memory("VmHWM")
    slow = FrontEnd(path)
    slow.send(b"<DYPER XCOMMAND='REPORT'/>" * 1000)
    slow.file.setblocking(False)
    sent = 0
    for _ in range(300):
        try:
            sent += slow.file.send(b"<DYPER XCOMMAND='REPORT'/>" * 10000)
        except BlockingIOError:
            pass
        except OSError:
            break
        steady.call("ping")
    slow.close()
    growth = memory("VmHWM") - before
    check(growth < MEMORY and lives(),
          "what is asked faster than it is answered waits in the socket",
          f"{growth} kB")


# ---- wrong types -------------------------------------------------------------

# Requests that are right, in which one parameter after the other is replaced.
RIGHT = {
    "set": {"var": [{"name": "CHECKTIME", "value": 10}]},
    "get": {"var": [{"name": "CHECKTIME"}]},
    "setdetail": {"detail": [{"item": "work", "value": True, "agent": "cpu",
                              "own": False}]},
    "classes": {"clear": False, "cleario": False, "clearsystem": False,
                "own": False,
                "package": [{"name": "/usr/", "type": "SYSTEM"}],
                "class": [{"name": "a.c", "type": "IO"}]},
    "getclasses": {"type": "IO", "name": "a"},
    "report": {"type": "ALL"},
    "classmodel": {"binary": False, "name": "server"},
    "agent": {"class": "threads", "value": True, "own": False},
    "usethread": {"thread": [{"id": pid, "ignore": False, "use": True}]},
    "clear": {},
    "model": {"name": "m", "for": [
        {"class": "server.c", "method": "work", "update": "NEW", "patch": [
            {"what": "ENTER", "mode": "count",
             "when": [{"case": "METHOD", "arg": "f"}]}]}]},
    "instrument": {"name": "m", "insert": True, "own": False,
                   "patch": [{"class": "server.c"}]},
    "patch": {"model": "m", "all": True, "class": [{"name": "server.c"}]},
    "directory": {"directory": folder},
    "calltree": {"least": 0.5},
    "command": {"line": "show monitor"},
}
WRONG = {"text": [{}, [], {"a": 1}, [["x"]]],
         "flag": ["perhaps", 7, {}, [], ""],
         "number": ["x", "", {}, [], True, "1e999"]}
# What is said to be a text may be a number, too, and is then its digits.


def operations():
    """The operations of the document, with the types of their parameters."""
    found = {}
    with open(document) as file:
        sections = file.read().split("\n### ")[1:]
    for section in sections:
        name = section.split("\n", 1)[0]
        if not re.fullmatch("[A-Z]+", name):
            continue
        rows = section.split("| reply |")[0].split("| parameter |")
        found[name.lower()] = re.findall(
            r"^\| `([^`]*)` \| ([^|]*) \|", rows[1], re.M) if len(rows) > 1 \
            else []
    return found


def put(params, name, value):
    """Set the parameter of this path in a copy of the parameters."""
    params = at = copy.deepcopy(params)
    *outer, last = name.split("[].")
    for word in outer:
        at = at.setdefault(word, [{}])[0]
    at[last] = value
    return params


def wrong_types():
    listed = operations()
    check(len(listed) >= 19, "the operations are read from the document",
          f"{sorted(listed)}")
    steady.call("model", **RIGHT["model"])
    for operation, parameters in listed.items():
        bad = []
        right = RIGHT.get(operation)
        if right is not None and \
                "result" not in (got := steady.call(operation, **right)):
            bad.append(f"right: {got}")
        for name, types in parameters:
            if name in ("patch[].orig", "patch[].patch"):  # are not used
                continue
            kinds = [kind for kind in WRONG if kind in types]
            for value in WRONG[kinds[0]] if len(kinds) == 1 else [{}, []]:
                got = steady.call(operation, **put(right or {}, name, value))
                if got.get("error", {}).get("code") != -32602:
                    bad.append(f"{name}={value!r}: {got}"[:200])
            # an element that is no object
            first = name.split("[].")[0]
            if "[]." in name:
                for value in (7, [7], [[]], [None]):
                    params = put(right or {}, first, value)
                    got = steady.call(operation, **params)
                    if got.get("error", {}).get("code") != -32602:
                        bad.append(f"{first}={value!r}: {got}"[:200])
        got = steady.call(operation, **{f"x{i}": [i] for i in range(1000)})
        if "result" not in got and "error" not in got:
            bad.append(f"unknown parameters: {got}")
        check(not bad and lives(), f"wrong types: {operation.upper()}",
              "; ".join(bad))


bad_messages()
half_messages()
wrong_types()
floods()
server.stdin.close()
check(server.wait(30) == 0, "the server ends with its program")
