#!/usr/bin/env bash
# Every message of DyPer and of DYPATCH, as DyPer's documents print it, and the
# same by JSON-RPC; the command `dyper`; and doc/PROTOCOL.md, which the tool
# makes from its table of operations.
# tier: core
# covers: operations serve document doc
. "$(dirname "$0")/../lib.sh"

# shellcheck disable=SC2154 # try sets $out
# of EXPRESSION: evaluates a Python expression over the JSON that the last command
# has printed
of() {
	/usr/bin/python3 -c 'import json, sys
it = json.loads(sys.argv[1])
print(eval(sys.argv[2]))' "$out" "$1"
}

# ---- the messages ----
mkdir messages
watches=yes
"$PROGRAMS/watchable" || watches=no
PYTHONPATH=$ROOT/tests within 300 /usr/bin/python3 "$ROOT/tests/e2e/dyper.py" \
	"$BUILD/perftool" "$PROGRAMS/rounds" "$PWD/messages" $watches >checks 2>errors
is "$?" 0 'the front end ends by itself'
while read -r word name; do
	case $word in
	pass) pass "$name" ;;
	*) fail "${name%%: *}" "$name" ;;
	esac
done <checks
is "$(cat errors)" '' 'and has met no exception'

# ---- at the prompt ----
try perftool -q -n -e 'dyper ping' "$PROGRAMS/rounds"
is "$out" PONG 'dyper PING'
try perftool -q -n -e 'dyper set name=CHECKTIME value=20' \
	-e 'dyper get name=CHECKTIME' "$PROGRAMS/rounds"
is "$(of it)" "{'var': [{'name': 'CHECKTIME', 'value': 20}]}" \
	'dyper SET and GET'
try perftool -q -n -e 'dyper setdetail item=step value=true' \
	-e 'list breaks' "$PROGRAMS/rounds"
like "$out" 'entry of step' 'dyper SETDETAIL makes nodes'
try perftool -q -n -e 'dyper setdetail item=step value=true' \
	-e 'dyper setdetail item=step value=false' -e 'add leg step inner' -e 'list breaks' \
	"$PROGRAMS/rounds"
is "$status $(grep -c '^ *[34]  entry of' <<<"$out")" '0 2' \
	'a leg gets nodes of its own where a detail was'
try perftool -q -n -e 'dyper classes class.name=a.c class.type=IO class.name=b.c class.type=IO' \
	-e 'dyper getclasses type=IO' "$PROGRAMS/rounds"
is "$(of '[one["name"] for one in it["class"]]')" "['a.c', 'b.c']" \
	'a name that an element has begins the next one'
fails_with 125 'there is no operation .frobnicate' 'an unknown operation' \
	perftool -q -n -e 'dyper frobnicate' "$PROGRAMS/rounds"
fails_with 125 'ask. is for front ends' 'ASK in a command' \
	perftool -q -n -e 'dyper ask line=x' "$PROGRAMS/rounds"
fails_with 125 'not of the form NAME=VALUE' 'a word without a value' \
	perftool -q -n -e 'dyper get CHECKTIME' "$PROGRAMS/rounds"

try perftool -q -n -e 'set mechanism int3' -e 'dyper classmodel name=nothing' "$PROGRAMS/rounds"
is "$(of '(it["candredfine"], it["refusal"])')" "(False, 'as it was asked for')" \
	'CLASSMODEL tells why nodes cannot be jumps'
try perftool -q -n -e 'set mechanism auto' -e 'dyper classmodel name=nothing' "$PROGRAMS/rounds"
is "$(of 'it["candredfine"]')" \
	"$(perftool -n -q -e 'show clock' "$PROGRAMS/rounds" | grep -q tsc && echo True || echo False)" \
	'and whether they can'

# ---- a class without debug information ----
try perftool -q -n -e 'dyper model name=m for.class=stripped.c for.method=* for.patch.what=ENTER for.patch.mode=count for.class=stripped for.method=main for.patch.what=ENTER for.patch.mode=count' \
	-e 'dyper instrument name=m insert=true' "$PROGRAMS/stripped"
is "$status $(of '[(one["class"], one["why"]) for one in it["left"]]')" \
	"0 [('stripped.c', \"no source file with debug information, no module and no function is named \`stripped.c'\")]" \
	'INSTRUMENT leaves it out'
try perftool -q -n -b -e 'dyper model name=m for.class=stripped.c for.method=* for.patch.what=ENTER for.patch.mode=count for.class=stripped for.method=main for.patch.what=ENTER for.patch.mode=count' \
	-e 'dyper instrument name=m insert=true' -e 'monitor on' -e run \
	-e 'save tables t.json' "$PROGRAMS/stripped"
is "$(json '[n["count"] for n in t["nodes"]]')" 1 'and counts in the others'

# ---- libraries that are loaded later ----
for item in plugin.c plugin.c:plugin_work 'plugin_*@plugin'; do
	try perftool -q -n -e "dyper setdetail item=$item value=true" -e run \
		-e "dyper setdetail item=$item value=true" \
		-e 'save tables t.json' "$PROGRAMS/loader" "$PROGRAMS/plugin"
	is "$status" 0 "dyper SETDETAIL $item before its library is loaded"
	is "$(grep -c '"pending": true' <<<"$out")" 1 'waits for the library'
	like "$out" '"functions": 1' 'and has its function then'
	is "$(json '[l["count"] for l in t["legs"]]')" 150 \
		'of which all calls are counted, also when it is loaded again'
done
try perftool -q -n -e 'dyper classes package.name=plug package.type=SYSTEM' \
	-e 'dyper setdetail item=plugin.c value=true' -e run \
	-e 'save tables t.json' "$PROGRAMS/loader" "$PROGRAMS/plugin"
is "$status:$(json 'len(t["legs"])')" 0:0 'functions of system classes are left out'
try perftool -q -n -e 'dyper setdetail item=plugin.c value=true' \
	-e 'dyper setdetail item=plugin.c value=false' -e run \
	-e 'save tables t.json' "$PROGRAMS/loader" "$PROGRAMS/plugin"
is "$status:$(json 'len(t["legs"])')" 0:0 'a detail that was taken out waits for nothing'
fails_with 125 'no function is named' 'a plain function that nobody has is an error' \
	perftool -q -n -e 'dyper setdetail item=plugin_work value=true' "$PROGRAMS/loader"

# ---- the document ----
perftool --man "$ROOT/doc/PROTOCOL.md.in" >made.md
ok 'doc/PROTOCOL.md is up to date' \
	cmp made.md "$ROOT/doc/PROTOCOL.md"
is "$(grep -c '^### ' made.md)" \
	"$(($(perftool -q -n -e 'help dyper' | tr -d '\n' | sed 's/.*front ends: //; s/\..*//' | tr ',' '\n' | grep -c .) + 4))" \
	'help names the operations of the document, but for COMMAND, ASK and COMPLETE'

done_testing
