#!/usr/bin/env bash
# What a program's threads had counted by themselves when their perftool died is
# read by the next perftool that attaches, and the program goes on unharmed.
# tier: core
# covers: probe/survive probe/rings session
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"

work=$(address_of work "$PROGRAMS/server")

# timed COMMAND...: gives the commands to perftool, and returns when the threads
# count work() by themselves
timed() {
	tell "$@"
	wait_for 20 has_jump "$server" "$work"
}

attach() {
	attach_told -q -n >said 2>tool.err
	tell 'set mechanism auto' 'print nodes'
}

# remains FORMAT: prints what the next perftool finds
remains() {
	try perftool -q -n -p "$server" -e "set format $1" -e 'print remains'
}

# 3 threads of the server call work() 1000 times each, perftool dies, and they
# call it again. An execution that took a microsecond or more (a thread may have
# been preempted) was told to the perftool that died.
serve "$PROGRAMS/server" 3
attach
timed 'time work'
says 1000 'done 1000 total 3000' 'three threads count'
end_tool KILL
says 500 'done 500 total 4500' 'the program goes on without its perftool'

remains json
is "$status" 0 'the next perftool attaches'
echo "$out" >t.json
is "$(json 'len(t), t[0]["name"], t[0]["executions"]')" '1 work 3000' \
	'it finds what the threads had counted until the death, and no more'
is "$(json "t[0]['pid'] == $server")" True 'in this process'
is "$(json '0 <= t[0]["short"] <= 3000')" True 'the short ones are some of these'
is "$(json 't[0]["p50_ns"] is None if t[0]["short"] == 0 else
	0 <= t[0]["p50_ns"] <= t[0]["p99_ns"] <= t[0]["max_ns"] < 896')" True \
	'their times are in order, and short'
like "$err" 'the counts of 1 leg; .print remains' 'a remark says where to look'
ask look
like "$reply" 'traced 0 foreign 0' 'the program is as it was'

remains text
like "$out" 'No perftool that died' 'the counts are told once'

# Two perftools die, one after the other.
attach
timed 'time work'
ask 10
end_tool KILL
attach
timed 'time work'
like "$(<tool.err)" 'the counts of 1 leg' 'the second one finds the counts of the first'
ask 20
end_tool KILL
remains csv
is "$(cut -d, -f1,3 <<<"$out")" $'name,executions\nwork,60' \
	'the third one finds the counts of the second'

# The leg of work() gets the number that the leg of sem_post() had, which was
# executed.
attach
timed 'time sem_post' 'time work'
ask 10
tell 'initialize tables' 'delete breaks'
timed 'time work'
ask 20
end_tool KILL
remains text
like "$out" 'work +[0-9]+ +60 ' 'a new leg has only its own counts'
end_server

# The names of 600 legs are in many pages, which the program has never touched. A
# child that the program forks after the death has the same memory, but the
# counts are not its own.
serve "$PROGRAMS/legacy"
attach
tell 'time legacy_* most=700'
wait_for 20 has_jump "$server" "$(address_of legacy_000 "$PROGRAMS/legacy")"
says 50 'called 50' 'each of 600 functions is called'
end_tool KILL
ask fork
child=$reply
try perftool -q -n -p "$child" -e 'print remains'
like "$out" 'No perftool that died' 'a child does not show the counts of its parent'
remains json
echo "$out" >t.json
is "$(json 'len(t), {x["executions"] for x in t}')" '600 {50}' \
	'the counts of all legs are found, also by the first of several pages of names'
kill -KILL "$child"
end_server

# ---- may a thread return into the code of a perftool that died? --------------

work=$(address_of work "$PROGRAMS/frames")

# jump_target: prints where the jump at work() leads, as a hexadecimal number
jump_target() {
	/usr/bin/python3 -c 'import struct, sys
pid, at = int(sys.argv[1]), int(sys.argv[2])
with open("/proc/%d/mem" % pid, "rb") as memory:
    memory.seek(at)
    print("%x" % (at + 5 + struct.unpack("<xi", memory.read(5))[0]))' \
		"$server" "$work"
}
# mapped NAME: prints the number of mappings of this name
mapped() {
	grep -c "memfd:$1 " "/proc/$server/maps"
}

# The address of a trampoline that is on a stack, as what a trampoline has saved
# there, means nothing. In the frame of a signal it is where the thread goes on.
serve "$PROGRAMS/frames"
for kept in word frame; do
	attach
	timed 'time work'
	says 50 'done' "$kept: work is counted"
	says "$kept $(jump_target)" 'done' "$kept: the address of the trampoline is on the stack"
	end_tool KILL
	attach
	tell 'time work' 'list breaks'
	if [ $kept = word ]; then
		like "$(grep 'entry.*work' said)" 'fast' 'an address on the stack: the next perftool uses jumps'
	else
		like "$(grep 'entry.*work' said)" 'int3 \(a thread may return into code of a perftool that died\)' \
			'the frame of a signal: the next perftool uses int3s'
		ok 'the frame of a signal: the records stay' [ "$(mapped perftool-rings)" = 1 ]
	fi
	says 50 'done' "$kept: the program goes on"
	tell detach
	exec 5>&-
	if [ $kept = word ]; then
		is "$(mapped perftool-rings)" 0 'an address on the stack: no records stay'
	fi
	says none 'done' "$kept: the address has gone"
done
attach
tell 'time work' 'list breaks'
like "$(grep 'entry.*work' said)" 'fast' 'when the frame has gone, the next perftool uses jumps'
tell detach
exec 5>&-
is "$(mapped perftool-rings)" 0 'when the frame has gone, no records stay'
is "$(foreign "$server")" 0 'the program is as it was'
end_server
done_testing
