#!/usr/bin/env bash
# `perftool serve`: the life of a server and of its front ends, `who` and `ctl`.
# tier: core
# covers: serve library operations/agents operations/details session/run
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"

export XDG_RUNTIME_DIR=$SCRATCH/run PYTHONPATH=$ROOT/tests
mkdir -m 700 "$XDG_RUNTIME_DIR"
program=$PROGRAMS/server

# python: runs the program on standard input with the functions of front_end.py
python() {
	/usr/bin/python3 -c "
import sys, os
from front_end import *
$(cat)" "$@"
}

# served OPTION... -- PROGRAM ARG...: starts a server; sets $tool and $pid, the
# measured process
served() {
	serve perftool serve -q "$@"
	tool=$server
	wait_for 20 has_child || fail 'no program was started'
	pid=$(pgrep -P "$tool")
	socket=$XDG_RUNTIME_DIR/perftool/$pid.sock
	wait_for 20 test -S "$socket" || fail 'there is no socket'
}
has_child() {
	pgrep -P "$tool" >/dev/null
}

# ---- --for ----
try perftool serve -q -n --for 200ms sleep infinity
is "$status:$out:$err" '0::' '--for ends the program and the server'
try perftool serve -q -n --for 2s --wait-front-end=300ms \
	sh -c 'echo ran; exec sleep infinity'
is "$status:$out" 0:ran 'its time begins when the program does'
start sleep infinity
left=$started
try perftool serve -q -n --for 200ms -p "$left"
is "$status $(status_of "$left" TracerPid)" '0 0' 'a process that was attached to is let go of'
start perftool serve -q -n --for 10s --socket ./limited sleep infinity
limited=$started
wait_for 20 test -S limited
try perftool ctl --socket ./limited continue for 1h
is "$status" 0 'a command of a front end that runs the program ends with that time'
wait "$limited"
is $? 0 'and the server, too'
is "$(perftool who)" '' 'no socket is left'

# ---- who and ctl ----
try perftool who
is "$status:$out" '0:' 'who without a server lists nothing'
fails_with 125 'nothing is served' 'ctl without a server fails' perftool ctl help

served -n "$program" 1 'a b' "it's" $'\e[1m\n' ''
is "$reply" ready 'the program runs, with the standard input of perftool'
is "$(stat -c %a "$XDG_RUNTIME_DIR/perftool" "$socket" | tr '\n' ' ')" '700 600 ' \
	'nobody else may use the socket'
try perftool who
is "$out" "$pid  $program 1 'a b' 'it'\\''s' $'\\x1b[1m\\x0a' ''" \
	'who lists the program with its arguments, as a shell would read them'
try perftool who --json
is "$(/usr/bin/python3 -c '
import json, sys
for one in json.load(sys.stdin):
    print(one["pid"], one["serve_pid"], one["program"], one["args"][:2], one["socket"])
' <<<"$out")" "$pid $tool $program ['1', 'a b'] $socket" 'who --json has the same and more'
try perftool ctl time work
is "$status" 0 'ctl gives a command'
like "$out" 'Leg 0: nodes 1 -> 2, entry of work' 'and has its output'
says 50 'done 50 total 50' 'the program works'
try perftool ctl "$pid" 'list breaks'
is "$(grep -c 'reached 50 times' <<<"$out")" 2 'ctl PID: list breaks has the counts of now'
try perftool ctl "$pid" list functions work
like "$out" 'work.* 50 calls' 'and so has list functions'
try perftool ctl "$pid" 'print legs'
like "$out" 'work +1 -> 2 +50 ' 'ctl PID: the calls were counted'
try perftool ctl no such command
is "$status" 125 'a command that fails gives the status of the tool'
like "$err" '^perftool: .*no such|^perftool: .*`no' 'and its message'
try perftool ctl "$pid" <<<$'print legs\nprint nodes'
like "$out" 'L E G   T A B L E' 'ctl reads commands from standard input'
like "$out" 'N O D E   T A B L E' 'line by line'
fails_with 125 "process $tool is not served" 'ctl of another process fails' \
	perftool ctl "$tool" help
says 50 'done 50 total 100' 'meanwhile the program works'

# ---- two front ends, one in each encoding ----
python "$socket" "$pid" >out.txt <<'END'
path, pid = sys.argv[1], sys.argv[2]
xml, js = Xml(path), Json(path)
print("who", xml.ask("<DYPER COMMAND='WHO' />").attrib == {"ID": pid})
start = xml.message()
print("start", start.tag, start.attrib == {"START": pid})
print("ping", xml.ask("<DYPER PID='%s' XCOMMAND='PING'></DYPER>" % pid).text)
print("patch", xml.ask("<DYPATCH COMMAND='PING'/>").tag)
print("json", js.call("ping")["result"])
print("started", js.message())
whoru = xml.ask("<DYPER XCOMMAND='WHORU'/>")
print("arg", [e.text for e in whoru.findall("ARG")][:3], whoru.find("START").text.endswith("/server"))
print("env", any(e.get("KEY") == "XDG_RUNTIME_DIR" for e in whoru.findall("ENV")))
print("same", js.call("whoru")["result"]["start"] == [whoru.find("START").text])
legs = js.call("report")["result"]["legs"]
print("legs", [(leg["name"], leg["count"]) for leg in legs])
report = xml.ask("<DYPER XCOMMAND='REPORT'><REPORT TYPE='ALL'/></DYPER>").find("REPORT")
print("xml", [(leg.get("NAME"), leg.get("COUNT")) for leg in report.findall("LEGS")])
print("unknown", js.call("nosuch")["error"]["code"], xml.ask("<DYPER XCOMMAND='NOSUCH'/>").find("ERROR").get("CODE"))
print("other", js.call("ping", pid=1)["error"]["code"])
command = js.call("command", line="show monitor")["result"]
print("command", command["status"], "on" in command["output"])
def width(**columns):
    output = js.call("command", line="print legs", **columns)["result"]["output"]
    return max(map(len, output.splitlines()))
print("columns", width(columns=80) <= 80 < width(), width(columns=0) == width())
for wrong in (-1, 1e9, "wide"):
    print("columns", js.call("command", line="ping", columns=wrong)["error"]["code"])
print("complete", js.call("complete", line="time call_w")["result"])
completed = xml.ask("<DYPER XCOMMAND='COMPLETE' LINE='time call_w'/>")
print("complete", completed.get("START") or completed.find("START").text, [e.text for e in completed.findall("WORD")])
print("complete", js.call("complete", line="xyzzy ")["result"], js.call("complete")["error"]["code"])
xml.send("<DYPER XCOMMAND='PING'/>" * 1000)
print("order", sum(xml.reply().text == "PONG" for i in range(1000)))
js.send('{"jsonrpc":"2.0","method":"ping"}\n' * 5)
print("silent", js.call("ping")["id"])
END
is "$(sed "s/$pid/PID/g" out.txt)" "who True
start DYPER True
ping PONG
patch DYPATCH_REPLY
json PONG
started {'jsonrpc': '2.0', 'method': 'start', 'params': {'pid': PID}}
arg ['1', 'a b', \"it's\"] True
env True
same True
legs [('work', 100)]
xml [('work', '100')]
unknown -32601 -32601
other -32602
command 0 True
columns True True
columns -32602
columns -32602
columns -32602
complete {'start': 5, 'word': ['call_work']}
complete 5 ['call_work']
complete {'start': 6, 'word': []} -32602
order 1000
silent 17" 'two front ends, one in each encoding' || cat out.txt
says 50 'done 50 total 150' 'the program works on'

# ---- a front end that never reads, and one that sends rubbish ----
python "$socket" >out.txt <<'END'
mute, js, rubbish = Xml(sys.argv[1]), Json(sys.argv[1]), FrontEnd(sys.argv[1])
mute.file.settimeout(1)
sent = 0
try:
    while sent < 1 << 26:
        sent += mute.file.send(b"<DYPER XCOMMAND='REPORT'/>" * 100)
    print("was never dropped")
except socket.timeout:
    print("waits")
except OSError:
    print("dropped")
print(js.call("ping")["result"])
rubbish.send(b"\0\xff<<<\n")
print("code", json.loads(rubbish.line())["error"]["code"])
many = [Json(sys.argv[1]) for i in range(200)]
print("many", sum(one.call("ping")["result"] == "PONG" for one in many))
END
like "$(cat out.txt)" $'^(dropped|waits)\nPONG\ncode -32700\nmany 200$' \
	'neither stops the others; 200 front ends'
says 50 'done 50 total 200' 'nor the program'

# ---- the end ----
(exec 3>&- 4>&- && python "$socket" >out.txt) <<'END' &
js, xml = Json(sys.argv[1]), Xml(sys.argv[1])
xml.ask("<DYPER COMMAND='WHO'/>"), xml.message()
print(js.call("ping")["result"], js.message()["method"], flush=True)
print(js.message(), js.message(), xml.message().attrib, xml.message())
END
front_end=$!
wait_for 20 grep -qs start out.txt
is "$?" 0 'two front ends wait'
exec 3>&- # the program ends at the end of its input
wait "$front_end"
is "$(cat out.txt)" "PONG start
{'jsonrpc': '2.0', 'method': 'end', 'params': {'pid': $pid}} None {'END': '$pid'} None" \
	'they are told of the end, and the connections are closed'
wait "$tool"
is "$?" 0 'the status of perftool is that of the program'
is "$(ls "$XDG_RUNTIME_DIR/perftool")" '' 'the socket is removed'

# ---- a program that waits for its front end ----
socket=$SCRATCH/own.sock

# held OPTION...: starts a server whose program is held
held() {
	start perftool serve -q -n --socket "$socket" "$@" /bin/echo begun \
		>said.txt 2>err.txt
	tool=$started
	wait_for 20 test -S "$socket" || fail 'there is no socket' "$(cat err.txt)"
}

held --wait-front-end -o report.json -f json
python "$socket" >out.txt <<'END'
xml = Xml(sys.argv[1])
pid = xml.ask("<DYPER COMMAND='WHO'/>").get("ID")
print(xml.message().attrib["START"] == pid, os.path.getsize("said.txt"))
print(xml.ask("<DYPER XCOMMAND='COMMAND'>set pending on</DYPER>").get("STATUS"), os.path.getsize("said.txt"))
print(xml.ask("<DYPER XCOMMAND='COMMAND'>time write</DYPER>").get("STATUS"), os.path.getsize("said.txt"))
for other in ("<DYPER_REPLY ID='1'/>", "<DYPATCH_REPLY/>", "<DYPER_REPLY><ERROR>no</ERROR></DYPER_REPLY>"):
    xml.send(other)
for other in ("<Foo/>", "<DYPER XCOMMAND='Foo'/>"):
    print(xml.ask(other).find("ERROR").text)
print(Json(sys.argv[1]).call("who")["result"]["held"], os.path.getsize("said.txt"))
xml.send("<DYPER_REPLY ID='%s'/>" % pid)
print(xml.message().attrib, xml.message())
END
wait "$tool"
is "$?" 0 'a held program ends'
is "$(sed "s/'[0-9]*'/PID/" out.txt)" "True 0
0 0
0 0
a message is a DYPER or a DYPATCH, and not \`Foo'
there is no operation \`Foo'
True 0
{'END': PID} None" 'and begins only when a front end has answered START'
is "$(cat said.txt)" begun 'then it does its work'
is "$(/usr/bin/python3 -c '
import json
print([leg["count"] for leg in json.load(open("report.json"))["legs"]])')" '[1]' \
	'which is measured from the beginning'

held --wait-front-end
python "$socket" >out.txt <<'END'
js = Json(sys.argv[1])
print(js.call("ping")["result"])
start = js.message()
print(start["method"], start["id"])
for other in ({"id": 999, "result": {}}, {"id": "1", "result": {}}, {"result": {}},
              {"id": 1, "error": {"code": -32601, "message": "no such method"}}):
    js.send(json.dumps({"jsonrpc": "2.0", **other}) + "\n")
print(js.call("who")["result"]["held"])
js.send(json.dumps({"jsonrpc": "2.0", "id": start["id"], "result": {}}) + "\n")
print(js.message()["method"])
END
wait "$tool"
is "$?:$(cat out.txt)" $'0:PONG\nstart 1\nTrue\nend' 'by JSON, START is a request while it waits'

held --wait-front-end
fails_with 125 "stands still; .continue' lets it go on" 'ctl run names what lets it begin' \
	perftool ctl --socket "$socket" run
try perftool ctl --socket "$socket" continue
is "$status" 0 'ctl continue lets it begin'
wait "$tool"
is "$?:$(cat said.txt)" '0:begun' 'too'

try perftool serve -q -n --socket "$socket" --wait-front-end=20ms /bin/echo begun
is "$status:$out" '0:begun' 'without a front end it begins when the time is over'

held --wait-front-end
end_tool TERM
is "$status" 130 'SIGTERM ends a server that waits'
is "$(cat said.txt)" '' 'whose program has not begun'
ok 'and its socket is removed' test ! -e "$socket"

# ---- servers that die, and sockets in the way ----
served -n "$program" 1
kill -KILL "$tool"
wait "$tool" 2>/dev/null
ok 'the socket of a server that was killed stays' test -S "$socket"
try perftool who
is "$status:$out" '0:' 'who does not list it'
ok 'and removes it' test ! -e "$socket"

start perftool serve -q -n --socket "$SCRATCH/s" sleep 1000
first=$started
wait_for 20 test -S "$SCRATCH/s" || fail 'there is no socket'
fails_with 125 'another perftool serves at' 'two servers cannot have one socket' \
	perftool serve -q -n --socket "$SCRATCH/s" sleep 1000
# (as in the background job of a script)
fails_with 125 'another perftool serves at' \
	'the program of the second does not run, also if it ignores SIGINT' \
	env --ignore-signal=INT perftool serve -q -n --socket "$SCRATCH/s" -- /bin/echo ran
kill -KILL "$first"
wait "$first" 2>/dev/null
start perftool serve -q -n --socket "$SCRATCH/s" sleep 1000
tool=$started
wait_for 20 perftool ctl --socket "$SCRATCH/s" help >/dev/null 2>&1
is "$?" 0 'a socket that a dead server has left is replaced'
end_tool INT
is "$status" 130 'Ctrl-C ends the server and its program'
echo text >file
fails_with 125 'no socket' 'a file is not replaced' \
	perftool serve -q -n --socket file true
is "$(cat file)" text 'and keeps its contents'
chmod 755 "$XDG_RUNTIME_DIR/perftool"
fails_with 125 'others may not enter' 'a folder that others may enter is refused' \
	perftool serve -q -n true
chmod 700 "$XDG_RUNTIME_DIR/perftool"

# ---- a program that executes another one ----
# whoru: prints what WHORU says of the program, its arguments, a variable, its
# build ID, and whether the time is that at which the process began
whoru() {
	python "$socket" "$1" <<-'END'
		js = Json(sys.argv[1])
		it = js.call("whoru")["result"]
		who = js.call("who")["result"]
		fields = open("/proc/%s/stat" % sys.argv[2]).read().rsplit(")")[1].split()
		began = int(fields[19]) / os.sysconf("SC_CLK_TCK")
		booted = int(next(line.split()[1] for line in open("/proc/stat")
		                  if line.startswith("btime")))
		properties = {one["key"]: one["text"] for one in it["property"]}
		print(it["start"], it["arg"], who["program"] == it["start"][0],
		      who["args"] == it["arg"],
		      [one["text"] for one in it["env"] if one["key"] == "WHICH"],
		      properties["program.build_id"],
		      abs(it["time"]["millis"] / 1000 - booted - began) < 2,
		      it["time"]["nano"] // 1000000 == it["time"]["millis"])
	END
}
id_of() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}
# shellcheck disable=SC2016 # for the inner shell
replacing='echo begun; read -r line; WHICH=second exec "$@"'
WHICH=first served -n -- /bin/bash -c "$replacing" bash "$program" 1
is "$(whoru "$pid")" "['/bin/bash'] ['-c', '$replacing', 'bash', '$program', '1'] True True ['first'] $(id_of /bin/bash) True True" \
	'WHORU tells how the program was started, and when'
ask go
is "$reply" ready 'it executes another program'
is "$(whoru "$pid")" "['$program'] ['1'] True True ['second'] $(id_of "$program") True True" \
	'WHORU tells of the other program then'
try perftool who
is "$out" "$pid  $program 1" 'and so does who'
end_tool TERM

# ---- a library that is loaded later ----
start perftool serve -q -n -o report.json -f json --wait-front-end \
	"$PROGRAMS/loader" "$PROGRAMS/plugin" >said.txt
tool=$started
wait_for 20 perftool ctl help >/dev/null 2>&1
try perftool ctl dyper setdetail item=plugin.c value=true
like "$out" '"pending": true' 'SETDETAIL of a class that is not there yet'
try perftool ctl dyper setdetail item=libc.so.6:dlsym value=true
like "$out" '"pending": true' 'also of a library that the program is linked with'
try perftool ctl dyper agent class=heap
is "$status" 0 'and an agent whose functions are not there yet'
try perftool ctl continue
wait "$tool"
is "$? $(grep -c . said.txt)" '0 4' 'the program ends as ever'
is "$(json 'sorted((l["name"], l["count"]) for l in t["legs"] if l["name"] in ("dlsym", "plugin.c:plugin_work"))' report.json)" \
	"('dlsym', 2) ('plugin.c:plugin_work', 150)" 'both are detailed when they are loaded'
ok 'and the agent has counted what allocates' test \
	"$(json 'sum(l["count"] for l in t["legs"] if "malloc" in l["name"])' report.json)" -gt 0

# ---- without libxml2 ----
mkdir lib
echo >lib/libxml2.so.2
LD_LIBRARY_PATH=$PWD/lib start perftool serve -q -n --socket "$SCRATCH/x" sleep 1000
tool=$started
try /usr/bin/python3 -c 'import sys
from front_end import Json, Xml
xml, js = Xml(sys.argv[1]), Json(sys.argv[1])
print(xml.ask("<DYPER XCOMMAND=\"PING\"/>")[0].text)
print(xml.message(), js.call("ping")["result"])' "$SCRATCH/x"
like "$out" '^XML needs libxml2: install it' 'without libxml2, a front end in XML is told so'
like "$out" 'None PONG' 'its connection is closed, and JSON works'
echo '<DYPATCH/>' >modes.xml
try perftool ctl --socket "$SCRATCH/x" dyper modes "file=$PWD/modes.xml"
like "$err$out" 'XML needs the library libxml2.so.2: install the package' \
	'a resource file in XML is refused'
end_tool INT

# ---- an attached process ----
serve "$program" 2
start perftool serve -q -n -p "$server"
tool=$started
socket=$XDG_RUNTIME_DIR/perftool/$server.sock
wait_for 20 test -S "$socket" || fail 'there is no socket'
try perftool ctl time work
is "$status" 0 'a process can be attached to and served'
is "$(whoru "$server")" "['$program'] ['2'] True True [] $(id_of "$program") True True" \
	'WHORU tells how it was called'
says 10 'done 10 total 20' 'it works'
try perftool ctl print legs
like "$out" 'work +1 -> 2 +20 ' 'and is measured'
end_tool INT
is "$status" 0 'Ctrl-C lets go of it'
is "$(foreign "$server")" 0 'with nothing of the tool in it'
says 10 'done 10 total 40' 'and it works on'
end_server

done_testing
