#!/usr/bin/env bash
# `set detail auto`: functions get nodes while they matter, and lose them again.
# The program (phased) goes from phase to phase, and counts its calls.
# tier: full
# covers: session/profiling profile
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
export XDG_RUNTIME_DIR=$SCRATCH/run PYTHONPATH=$ROOT/tests
mkdir -m 700 "$XDG_RUNTIME_DIR"
LIMIT=250

# The bound is large, because the stops of int3s cost much on a loaded machine.
cat >script <<'END'
set detail auto
set detail-cost 50
set detail-class-min-total 20
set detail-method-min-total 20
time beta
break border
run
save tables alpha1.json
continue
save tables alpha2.json
list breaks > alpha.breaks
continue
continue
save tables beta2.json
list breaks > beta.breaks
continue
save tables again1.json
continue
save tables again2.json
continue
continue
show detail
save tables dear.json
set detail off
list breaks > off.breaks
save tables off.json
zero tables
save tables zero.json
continue
show detail
END
try perftool -q -x script "$PROGRAMS/phased" 700 alpha beta alpha dear
is "$status:$err" 0: 'the program has run through its phases, without remarks'
echo "$out" >said

# about FILE EXPRESSION: prints a Python expression over the tables of a file.
# calls(F): how often the program had called F until the border in FILE; count(F)
# and leg(F): what the tables say of it; made(F): who has made its nodes, and is
# it in?
about() {
	/usr/bin/python3 - "$1" "$2" <<-'END'
		import json, re, sys
		t = json.load(open(sys.argv[1] + ".json"))
		borders = re.findall(r"^(\w+) (\d) at \d+ ns: (.*)$", open("said").read(), re.M)
		order = ["alpha1", "alpha2", "beta1", "beta2", "again1", "again2", "dear1", "dear", "off",
		         "zero"]
		own = dict(re.findall(r"(\w+) (\d+)", borders[min(order.index(sys.argv[1]), 7)][2]))
		calls = lambda f: int(own[f])
		legs = lambda f: [l for l in t["legs"] if re.fullmatch(f + r"(@phased)?", l["name"])]
		leg = lambda f: legs(f)[0]
		count = lambda f: leg(f)["count"] if legs(f) else 0
		made = lambda f: sorted({(n["made_by"], n["kind"], "out" if n["deleted"] else "in")
		                         for n in t["nodes"] if n["function"] == f})
		print(eval(sys.argv[2]))
	END
}
# more FILE FILE EXPRESSION: how much more the expression is in the second file
more() {
	echo $(($(about "$2" "$3") - $(about "$1" "$3")))
}

in="[('detail', 'entry', 'in'), ('detail', 'return', 'in')]"
out="[('detail', 'entry', 'out'), ('detail', 'return', 'out')]"
is "$(about alpha1 'made("alpha")')" "$in" 'alpha has nodes in its phase'
is "$(about alpha1 'made("alpha_part")')" "$in" 'and so has what it calls'
is "$(about alpha1 'made("beta_part"), made("delta"), made("border")')" \
	'([], [], [])' 'functions that do not run have none'
is "$(about alpha1 'leg("alpha")["made_by"], leg("beta")["made_by"]')" \
	"('detail', 'user')" 'legs say who has made them'
ok 'alpha was counted from some call on' \
	test "$(about alpha1 '0 < count("alpha") <= calls("alpha")')" = True
is "$(more alpha1 alpha2 'count("alpha")')" \
	"$(more alpha1 alpha2 'calls("alpha")')" \
	'from then on each call of alpha counts'
is "$(more alpha1 alpha2 'count("alpha_part")')" \
	"$(more alpha1 alpha2 '4*calls("alpha")')" 'and each call of its part'
part=$(more alpha1 alpha2 'leg("alpha_part")["total_ns"]')
ok 'each has a time' test "$part" -gt 0
ok 'and the calls of the parts are within those of the whole' \
	test "$(more alpha1 alpha2 'leg("alpha")["total_ns"]')" -gt $((part * 9 / 10))
like "$(cat alpha.breaks)" 'entry of alpha[^_].*, a node, by detail' \
	'list breaks names the maker'

is "$(about beta2 'made("alpha"), made("alpha_part")')" "($out, $out)" \
	'in the next phase, alpha has lost its nodes'
is "$(about beta2 'count("alpha")')" "$(about alpha2 'count("alpha")')" \
	'its counts have stayed as they were'
like "$(cat beta.breaks)" 'entry of alpha[^_].*, taken out by detail' \
	'list breaks says that they are out'
is "$(about beta2 'made("beta_part")')" "$in" 'beta_part has nodes now'
is "$(about beta2 'made("beta")')" \
	"[('user', 'entry', 'in'), ('user', 'return', 'in')]" \
	'beta has those of the user, and no others'
is "$(about beta2 'len(legs("beta")), count("beta")')" \
	"(1, $(about beta2 'calls("beta")'))" 'which have counted all calls'

is "$(about again1 'made("alpha")')" "$in" \
	'when alpha comes again, it has nodes again'
is "$(about dear 'made("beta_part")')" "$out" 'and beta_part has lost its own'
is "$(about again2 'len(legs("alpha")), len(legs("alpha_part"))')" '(1, 1)' \
	'in the same rows'
is "$(more again1 again2 'count("alpha")')" \
	"$(more again1 again2 'calls("alpha")')" 'and each call counts again'
is "$(about again2 'made("beta")')" \
	"[('user', 'entry', 'in'), ('user', 'return', 'in')]" \
	'the nodes of the user stay'

# ---- what costs too much ----
is "$(about dear 'made("dear")')" "$out" 'a function that is called too often loses its nodes'
is "$(about dear '[r["function"] for r in t["detail"]["refused"]]')" \
	"['dear@phased']" 'it is refused'
ok 'because it would cost more than it may' \
	test "$(about dear 't["detail"]["refused"][0]["cost_percent"] > 35')" = True
ok 'it was tried for a small part of its calls' \
	test "$(about dear '0 < count("dear") < calls("dear") / 10')" = True
like "$(cat said)" 'functions? ha(s|ve) nodes by detail; it costs .*% \(at most 50%\): nodes' \
	'show detail says what detail costs'
like "$(cat said)" 'Refused: dear@phased would cost (more than )?[0-9,]+%, with (more than )?[0-9,]+ calls in a second of CPU time, at [0-9.]+[nu]s each; it is tried again in' \
	'and what is refused, and why'
is "$(about dear '[abs(r["calls_per_cpu_second"] * r["call_cost_ns"] / 1e7 / r["cost_percent"] - 1) < 1e-6
	for r in t["detail"]["refused"]]')" '[True]' \
	'the cost is that of a call, as often as it is called'
ok 'which is no more than twice the bound, and twice the CPU' \
	test "$(about dear 't["detail"]["refused"][0]["cost_percent"] <= (2 * 100 + 2 * 50) * (1 + 1e-9)')" = True

# ---- off ----
unlike "$(cat off.breaks)" 'detail|entry of alpha' 'off removes the breakpoints'
like "$(cat off.breaks)" 'entry of beta' 'but not those of the user'
is "$(about off 'count("alpha"), leg("alpha")["made_by"], made("alpha")')" \
	"($(about again2 'count("alpha")'), 'detail', $out)" \
	'the rows stay, with their figures'
is "$(about zero '{r["made_by"] for r in t["legs"] + t["nodes"]}')" "{'user'}" \
	'and go if nothing was counted'
is "$(about off 't["detail"]')" None 'nothing is detailed any more'
like "$(tail -n 1 said)" '^detail +off$' 'show detail says so'

# ---- settings ----
for value in -1 x 1001 ''; do
	try perftool -q -e "set detail-cost $value" -e 'show detail-cost'
	is "$status" 125 "detail-cost is not '$value'"
done
try perftool -q -e 'set detail-cost 0.5' -e 'show detail-cost' \
	-e 'show detail-class-threshold'
is "$out" $'detail-cost   0.5\ndetail-class-threshold 0.05' \
	'decimals are kept, and the limits have defaults'
fails_with 125 'detail-class-threshold is a number from 0 to 1' \
	'a threshold is a fraction' perftool -q -e 'set detail-class-threshold 2'

# ---- front ends ----
start perftool serve -q -e 'set detail-cost 50' "$PROGRAMS/phased" 1000000 alpha
server=$started
has_child() {
	pgrep -P "$server" >/dev/null
}
wait_for 20 has_child || fail 'no program was started'
pid=$(pgrep -P "$server")
/usr/bin/python3 - "$XDG_RUNTIME_DIR/perftool/$pid.sock" >front.txt <<'END'
import sys, time
from front_end import *
xml, js = Xml(sys.argv[1]), Json(sys.argv[1])
end = time.monotonic() + 100

def wait(what, condition):
    while True:
        report = js.call("report")["result"]
        found = {n["function"]: n for n in report["nodes"]
                 if n["made_by"] == "detail" and not n["deleted"]}
        if condition(found, report):
            return print(what)
        if time.monotonic() > end:
            return print("never:", what, report["nodes"], report["detail"])
        time.sleep(0.05)

js.call("set", var=[{"name": "CLASS_DETAIL_MIN_TOTAL", "value": 20},
                    {"name": "METHOD_DETAIL_MIN_TOTAL", "value": 20}])
print(js.call("command", line="show detail-class-min-total")["result"]["output"].split())
js.call("classes", **{"class": [{"name": "alpha.c", "type": "SYSTEM"}]})
print(js.call("set", name="detail", value="auto").get("error"))
wait("the caller of a system class",
     lambda found, report: "run_half" in found and "alpha" not in found)
js.call("classes", clear=True)
wait("a class that is none any more", lambda found, report: "alpha" in found)
js.call("set", name="CLASS_DETAIL_MIN_TOTAL", value=1e9)
values = {v["name"]: v["value"] for v in js.call("get")["result"]["var"]}
print(values["CLASS_DETAIL_MIN_TOTAL"], values["METHOD_DETAIL_THRESHOLD"], values["detail"],
      "detail-class-minimum" in values)
print(xml.ask("<DYPER COMMAND='SETDETAIL'><DETAIL ITEM='alpha_part' VALUE='T' AGENT='cpu'/></DYPER>").tag)
wait("what a front end has made replaces it",
     lambda found, report: "alpha_part" not in found and
     any(n["function"] == "alpha_part" and n["made_by"] == "user" for n in report["nodes"]))
xml.ask("<DYPER COMMAND='SET'><VAR NAME='detail' VALUE='off'/></DYPER>")
wait("all are out", lambda found, report: not found and not report["detail"])
print([n["deleted"] for n in js.call("report")["result"]["nodes"]
       if n["function"] == "alpha_part" and n["made_by"] == "user"])
END
is "$(cat front.txt)" "['detail-class-min-total', '20']
None
the caller of a system class
a class that is none any more
1000000000 0.05 auto False
DYPER_REPLY
what a front end has made replaces it
all are out
[False, False]" 'front ends set the limits, and their classes and nodes count'
kill "$pid"

# ---- the library ----
PYTHONPATH=$ROOT/src/library/python LIBPERFTOOL=$BUILD/libperftool.so.0 \
	/usr/bin/python3 - "$PROGRAMS/phased" >library.txt <<'END'
import sys, perftool
session = perftool.Session()
session.launch(sys.argv[1], "1000000", "beta")
for command in ("set detail auto", "set detail-cost 50", "set detail-class-min-total 20",
                "set detail-method-min-total 20"):
    session.command(command)
for _ in range(200):
    session.run(0.5)
    if "by detail" in session.command("list breaks"):
        break
print("by detail" in session.command("print nodes"))
session.command("monitor off")
session.run(0.5)
print("no node of detail stops the program")
END
is "$(grep -v ' ns: ' library.txt)" $'True\nno node of detail stops the program' \
	'a session of the library details functions, too'

# ---- what the user deletes does not come back ----
cat >script <<'END'
set detail auto
set detail-cost 50
set detail-class-min-total 20
set detail-method-min-total 20
break border
run
save tables first.json
delete leg 0
continue
save tables second.json
initialize tables
save tables none.json
continue
save tables third.json
END
try perftool -q -x script "$PROGRAMS/phased" 700 alpha alpha
is "$status:$err" 0: 'rows can be deleted and initialized'
# one of the two has leg 0
other=$(/usr/bin/python3 -c 'import json
legs = {l["id"]: l["name"] for l in json.load(open("first.json"))["legs"]}
print(*({"alpha", "alpha_part"} - {legs[0]}))')
legs() {
	/usr/bin/python3 -c 'import json, sys
print(sorted(l["name"] for l in json.load(open(sys.argv[1]))["legs"]
             if l["name"].startswith("alpha")))' "$1.json"
}
is "$(legs first)" "['alpha', 'alpha_part']" 'both functions have legs'
is "$(legs second)" "['$other']" 'a leg that was deleted stays away'
is "$(legs none) $(legs third)" "[] ['$other']" \
	'after initialize tables the other one begins anew'
done_testing
