#!/usr/bin/env bash
# A program that makes hits faster than they can be counted: the tool answers
# front ends all the time, and no hit is lost.
# tier: full
# covers: probe/rings serve
. "$(dirname "$0")/../lib.sh"

export PYTHONPATH=$ROOT/tests
socket=$SCRATCH/socket

# Each hit of hit() could end 1,500 legs, so that to read a full ring takes long.
legs=()
for ((i = 0; i < 1500; i++)); do
	legs+=(-e 'break entry seldom if 1')
done

# flooded THREADS
flooded() {
	serve perftool serve -q -n --socket "$socket" -f json -o t.json \
		-e 'set mechanism auto' -e 'set counting ring' \
		-e 'break entry hit if 1' "${legs[@]}" -e 'collect nodes' \
		-e 'add leg * 1' -e 'monitor on' "$PROGRAMS/flood" "$1"
	is "$reply" ready "$1: the program makes hits"
	# A full ring of the first thread has 32,768 records. If the tool read
	# all of them before it does anything else, that many hits would be
	# between answers, or none. (All questions are in the socket before the
	# first answer, so the front end keeps the tool waiting nowhere.)
	/usr/bin/python3 - "$socket" >answers <<-'PY'
		import json, re, sys
		from front_end import Json

		def reached(reply):
		    found = re.search(r"entry of hit.*reached (\d+) time",
		                      reply["result"]["output"])
		    return int(found.group(1)) if found else 0

		js = Json(sys.argv[1])
		while reached(js.call("command", line="list breaks")) < 50000:
		    pass
		question = {"jsonrpc": "2.0", "method": "command",
		            "params": {"line": "list breaks"}}
		js.send("".join(json.dumps(dict(question, id=1000 + i)) + "\n"
		                for i in range(25)))
		hits = []
		while len(hits) < 25:
		    message = js.message()
		    if message.get("id", 0) >= 1000:
		        hits.append(reached(message))
		steps = [after - before for before, after in zip(hits, hits[1:])]
		print(sum(step for step in steps if step >= 30000) <=
		      (hits[-1] - hits[0]) / 2)
	PY
	is "$(cat answers)" True "$1: the tool answers before a full ring is read"
	ask ''
	tool=$server
	wait "$tool"
	is "$?" 0 "$1: the program ends well"
	exec 3>&- 4>&-
	is "$(json 'node(1)["count"]') hits, $(json 'node(2)["count"]') seldom" \
		"$reply" "$1: every hit is counted"
}

flooded 1
flooded 3

done_testing
