#!/usr/bin/env bash
# Children are followed, and each has its own owners of legs. Or they are not
# followed, and nothing of the tool is left in them.
# tier: core full
# covers: target session/run probe/site
# again: int3
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
program=$PROGRAMS/family

# sum: prints the sum of all calls that parent and children report
sum() {
	awk '{ for (i = 1; i < NF; i++) if ($i == "work") sum += $(i + 1) }
		END { print sum + 0 }' <<<"$out"
}

# lines REGEX: prints how many lines of the output match
lines() {
	grep -cE "$1" <<<"$out"
}

# everybody CHILDREN NAME: all processes have run, and all their calls were
# counted
everybody() {
	is "$status" 0 "$2: status 0"
	is "$(lines '^parent') $(lines '^child')" "1 $1" "$2: the parent and every child run"
	is "$(json 'entry("work")["count"], exit("work")["count"]')" \
		"$(sum) $(sum)" "$2: every call of every process is counted"
	is "$(json "[time('work')[k] for k in ('count', 'ignored_from',
		'ignored_to', 'unwound', 'discarded', 'open')]")" \
		"$(sum) 0 0 0 0 0" "$2: every call of every process is timed"
	is "$(json 'kept()')" True "$2: the leg accounts for every hit of its nodes"
}

for how in $(sampled 2 fork vfork clone spawn exec system popen); do
	times work -- "$program" "$how" 10
	everybody 10 "$how"
done
times work -- "$program" fork 200
everybody 200 '200 children in a row'
times work -- "$program" together 30
everybody 30 '30 children at the same time'
times work -- "$program" pipeline 8
everybody 8 'a pipeline'
times work -- "$program" daemon
everybody 1 'a daemon'
times work -- "$program" outlive
everybody 1 'a child that outlives its parent'

# The leg from the end of a call to the beginning of the next call never leads
# from one process to another. The first entry of each process ends no
# execution, and no entry follows the last exit.
batch 'break entry work if 1' 'break exit work if 1' 'add leg 2 1' \
	-- "$program" together 20
is "$(json '[leg(0)[k] for k in ("count", "ignored_from", "ignored_to")]')" \
	"$(($(sum) - 21)) 0 21" 'legs of parent and child never mix'
is "$(json 'kept()')" True 'legs between calls account for every hit of their nodes'

# The call that forked a child belongs to the parent.
times work_and_fork -- "$program" inside 10
is "$status $(lines '^child')" '0 10' 'forked inside a function: status 0 and ten children'
is "$(json 'entry("work_and_fork")["count"],
	exit("work_and_fork")["count"]')" '10 20' \
	'forked inside a function: entered once, left twice'
is "$(json '[time("work_and_fork")[k] for k in ("count", "ignored_to",
	"unwound", "discarded")]')" '10 10 0 0' \
	'forked inside a function: the execution is the parent'\''s'

# ---- shells ----
cat >script.sh <<-END
	#!/bin/sh
	# a shell script is a program too
	'$program' leaf
	'$program' leaf | cat
	('$program' fork 2) &
	wait
	exit 6
END
chmod +x script.sh
for place in work "work@${program##*/}"; do
	times "$place" -- ./script.sh
	is "$status" 6 "a script, $place: the tool ends with the script's status"
	is "$(lines work)" 5 "a script, $place: every program of the script runs"
	is "$(json 'sum(l["count"] for l in t["legs"])')" "$(sum)" \
		"a script, $place: every call in its programs is counted"
done
times "work@${program##*/}" -- sh -c "'$program' leaf; exec '$program' fork 3"
is "$status" 0 'a shell that executes a program: status 0'
is "$(json 'sum(l["count"] for l in t["legs"])')" "$(sum)" \
	'a shell that executes a program: every call is counted'

# ---- children that are not followed ----
# Children see no tracer, and their code is as in the file. Only this test waits
# for the children that live longer than their parent.
child_has_spoken() {
	grep -q '^child' "$SCRATCH/out"
}

for how in $(sampled 2 fork vfork clone spawn exec system popen together daemon \
	outlive); do
	batch 'set follow fork off' 'time work' -- "$program" "$how" 10
	is "$status" 0 "fork off, $how: status 0"
	ok "fork off, $how: a child runs" wait_for 10 child_has_spoken
	out=$(cat "$SCRATCH/out")
	is "$(lines '^child .* traced 0 foreign 0$')" "$(lines '^child')" \
		"fork off, $how: children are untraced and have unchanged code"
	is "$(lines '^parent .* traced 1')" 1 "fork off, $how: the parent is traced"
	is "$(json 'kept()')" True "fork off, $how: the leg accounts for every hit of its nodes"
done
batch 'set follow fork off' 'time work' -- "$program" fork 10
is "$(json 'time("work")["count"]')" 5 "fork off: only the parent's calls are counted"

batch 'set follow exec off' 'time work' -- "$program" exec 10
is "$status" 0 'exec off: status 0'
is "$(lines '^child .* traced 0 foreign 0$')" 10 \
	'exec off: executed programs are untraced and have unchanged code'
# 5 calls of the parent, and 1 call of each child before the child executed a
# program
is "$(json 'time("work")["count"]')" 15 \
	'exec off: calls of children are counted until they execute a program'
batch 'set follow exec off' 'time work' -- "$program" fork 10
is "$(json 'time("work")["count"]')" "$(sum)" \
	'exec off: calls of children that execute no program are counted'

# The program itself may execute another program and is then not followed. The
# tool still waits for it and ends when the program ends.
told='^process [0-9]+ has executed [^ ]* and is not followed'
batch 'set follow exec off' -- bash -c "exec '$program' fork 2"
like "$err" "$told \\(set follow exec off\\)\$" 'exec off, the program: the tool says that the program is not followed'
is "$(lines 'traced 0 foreign 0$')" 3 \
	'exec off, the program: all processes are untraced with unchanged code'
batch 'set follow exec off' -- bash -c 'exec sh -c "exit 7"'
is "$status" 7 "exec off, the program: the tool ends with the program's status"
is "$(json '[t["program"][k] for k in ("state", "exit_status")]')" 'exited 7' \
	"exec off, the program: the tables have the program's end"
batch 'set follow exec off' -- bash -c 'exec sh -c "kill -KILL \$\$"'
is "$status" 137 'exec off, the program: the status tells the signal that killed it'
# the program ends while others are still measured
# shellcheck disable=SC2016 # they are bash's
batch 'set follow exec off' -- bash -c \
	'(while [ -e /proc/$$ ] && [ "$(cut -d" " -f3 /proc/$$/stat)" != Z ]; do :
		done; :) & exec sh -c "exit 9"'
is "$status" 9 'exec off, the program: its status counts, though a child lives longer'
batch 'set follow exec off' 'set affinity on' 'time malloc@libc.so.6' -- \
	bash -c 'exec grep Cpus_allowed: /proc/self/status'
is "$out" "$(grep Cpus_allowed: /proc/self/status)" \
	'exec off, the program: the executed program may use all CPUs again'
ok 'exec off, the program: hits before the exec are counted' \
	[ "$(json 'sum(n["count"] for n in t["nodes"])')" -gt 0 ]

is_untraced() {
	[ "$(status_of "$1" TracerPid)" = 0 ]
}
for signal in KILL INT; do
	serve perftool -q -n -b -f json -o t.json -e 'set follow exec off' -- \
		bash -c 'exec sh -c "echo \$\$; exec cat"' 2>tool.err
	pid=$reply tool=$server
	ok "exec off, the program, SIG$signal: nobody traces the executed program" \
		wait_for 20 is_untraced "$pid"
	end_tool $signal
	says hello hello "exec off, the program, SIG$signal: the program goes on after the tool"
	kill -KILL "$pid"
	exec 3>&- 4>&-
done
is "$status $(json 't["program"]["state"]')" '0 detached' \
	'exec off, the program: SIGINT makes the tool detach with status 0'

# A breakpoint is in place, so that the tool has done everything to attach.
is_attached() {
	grep -q perftool "/proc/$1/maps" && [ "$(status_of "$1" State)" = S ]
}
serve bash -c 'echo ready; read -r line; exec cat'
start perftool -q -n -b -f json -o t.json -e 'set follow exec off' \
	-t malloc@libc.so.6 --for 30s -p "$server" 2>tool.err
tool=$started
wait_for 20 is_attached "$server" ||
	fail 'exec off, attached: nothing is in place' "$(cat tool.err)"
echo go >&3
wait "$tool"
is "$?" 0 'exec off, attached: the tool ends with status 0 at the exec'
like "$(cat tool.err)" "$told" 'exec off, attached: the tool says that the program is not followed'
is "$(json 't["program"]["state"]')" detached 'exec off, attached: the report says that the program was detached'
says hello hello 'exec off, attached: the program goes on'
is "$(status_of "$server" TracerPid) $(foreign "$server")" '0 0' \
	'exec off, attached: the program is untraced and has unchanged code'
end_server

# ---- privileges that a traced process does not get ----
if [ "$(id -u)" = 0 ]; then
	chmod 755 "$SCRATCH" "$SCRATCH/work"
	cp "$BUILD/perftool" .
	for name in plain user group caps; do
		cp "$PROGRAMS/rights" $name
	done
	chmod 4755 user
	chmod 2755 group
	setcap cap_net_raw+ep caps
	everyone="'./plain'; './user'; './group'; './caps'; true"

	as_nobody() {
		try setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	}

	# remarks: sets $told to the remarks of the tool, without the pids
	remarks() {
		told=$(sed -n 's/^process [0-9]* executes .*\///p' <<<"$err")
	}
	traced='it runs without these rights, because perftool traces it'
	as_nobody ./user
	like "$out" 'euid 0' 'without the tool, a set-user-ID program has its rights'
	for shell in bash dash; do
		hint="\`set follow fork off' lets it have them"
		# the children of dash share the memory of dash, so that they
		# are traced until they execute a program, whatever the setting
		# is
		[ $shell = bash ] || hint='it has them if root runs perftool'
		as_nobody ./perftool -q -n --pending -t work -o /dev/null $shell -c "$everyone"
		remarks
		is "$told" "user, which is set-user-ID: $traced ($hint)
group, which is set-group-ID: $traced ($hint)
caps, which has file capabilities: $traced ($hint)" \
			"$shell: the tool names each program that lacks its rights"
		is "$(lines 'euid 65534.*egid 65534')" 4 "$shell: the programs run without their rights"
		as_nobody ./perftool -q -n -b -o /dev/null -e 'set follow exec off' \
			$shell -c "$everyone"
		remarks
		is "$(grep -c "($hint)\$" <<<"$told")" 3 \
			"$shell, exec off: the tool names each program that lacks its rights"
	done
	as_nobody ./perftool -q -n -b -o /dev/null -e 'set follow fork off' \
		bash -c "$everyone"
	is "$status$err" 0 'fork off, rights: no program is named as lacking rights'
	is "$(lines 'euid 0')$(lines 'egid 0')" 11 'fork off, rights: the children have their rights'
	as_nobody ./perftool -q -n -b -o /dev/null -e 'set follow fork off' \
		bash -c "exec ./user"
	remarks
	is "$told" "user, which is set-user-ID: $traced (it has them if root runs perftool)" \
		'fork off, rights: the program itself is named as lacking rights'
	as_nobody ./perftool -q -n -t work -o /dev/null ./caps
	remarks
	like "$told" '^caps, which has file capabilities' \
		'a launched program with file capabilities is named as lacking rights'
	try ./perftool -q -n --pending -t work -o /dev/null bash -c "$everyone"
	is "$status$err" 0 'root, rights: no program is named as lacking rights'
	is "$(lines 'uid 0')" 4 'root, rights: the programs run with user 0'
	as_nobody setpriv --no-new-privs ./perftool -q -n --pending -t work \
		-o /dev/null bash -c "$everyone"
	is "$status$err" 0 'no-new-privs: no program is named as lacking rights'
fi
done_testing
