#!/usr/bin/env bash
# A program that is built with options that change the code of functions: their
# beginnings (calls of a profiler, room for patches, endbr64), their ends
# (hooks), and their parts (cold parts, which the function jumps to or calls).
# The program counts its calls itself.
# tier: core full
# covers: debuginfo/symbols probe/request probe/arrival probe/fast
. "$(dirname "$0")/../lib.sh"
source=$ROOT/tests/programs/built.c
functions=(leaf fold rare brief last hand nap)

# known OUTPUT: prints the part of the program's output that does not depend on
# time
known() {
	echo "${1%% took *}"
}

# calls SINCE: prints the calls of each function in $out, less the calls in the
# line SINCE
calls() {
	local function text=
	for function in "${functions[@]}"; do
		text+=" $(($(own "$function") - $(out=$1 own "$function")))"
	done
	echo "${text# }"
}

# right NAME SINCE: entries, returns and times are as many as the calls that the
# program has counted since the line SINCE, and no hit is lost. The total of the
# leg of nap() is not more than the time that the program's own clock gives. The
# tool subtracts the cost of a break, which it knows to some tenths on a busy
# machine.
right() {
	local wanted
	wanted=$(calls "$2")
	is "$(json "*[entry(f)['count'] for f in '${functions[*]}'.split()],
		*[exit(f)['count'] for f in '${functions[*]}'.split()],
		*[time(f)['count'] for f in '${functions[*]}'.split()], kept(),
		time('nap')['min_ns'] >= 9000000, time('nap')['total_ns'] <=
			1.001 * ($(own took) - $(out=$2 own took))")" \
		"$wanted $wanted $wanted True True True" \
		"$1: entries, returns and times agree with the program's counts"
}

# arcs: prints what the program's own profiler (-pg), if it has one, has
# counted: caller, called function, and number of calls
arcs() {
	[ -e gmon.out ] || return 0
	/usr/bin/python3 - <<-'END'
		import struct
		found, at = [], 20
		data = open("gmon.out", "rb").read()
		while at < len(data):
		    if data[at] == 0: # samples
		        at += 41 + 2 * struct.unpack_from("<I", data, at + 17)[0]
		    else:
		        found.append(struct.unpack_from("<QQI", data, at + 1))
		        at += 21
		print(sorted(found))
	END
	rm gmon.out
}

none='leaf 0 fold 0 rare 0 brief 0 last 0 hand 0 nap 0 took 0'

# counts COMPILER OPTION...: the counts are right for a program that was
# launched and for one that was attached to. Fails if this case is left out.
counts() {
	local plain known

	one_in 4 || return
	if ! "$@" -g -w "$source" -o built 2>log; then
		pass "$* # SKIP this compiler cannot"
		return
	fi
	plain=$(./built)
	known=$(known "$plain")$(arcs)
	for MECHANISM in int3 fast; do
		times "${functions[@]}" -- ./built
		is "$(known "$out")$(arcs)" "$known" \
			"$*: $MECHANISM: the program's output is as without the tool"
		right "$*: $MECHANISM" "$none"
	done
	attached "$*"
}

# attached NAME: measures all functions in a process; the tool attaches between
# two rounds of work
attached() {
	local first

	serve ./built -
	ask go
	first=$reply
	rm -f placed t.json
	start perftool -q -n -b -f json -o t.json -t '*@built' \
		-e 'shell touch placed' -p "$server" 2>tool.err
	tool=$started
	wait_for 20 test -e placed ||
		fail "$1: attaching" "$(cat tool.err)"
	ask go
	out=$reply
	end_tool INT
	right "$1: attached, all functions" "$first"
	is "$(foreign "$server")" 0 "$1: the code is restored after detaching"
	ask go
	like "$reply" '^leaf [0-9]+ .* took [0-9]+$' "$1: the program works after detaching"
	end_server
}

# cold PART...: the compiler has moved the code that is seldom executed into
# these parts
cold() {
	is "$(nm built | sed -n 's/.* t \(.*\.cold.*\)/\1/p' | sort | xargs)" "$*" \
		"the compiler has made $*"
}

counts gcc -O2 -pg
counts gcc -O2 -pg -mfentry
counts gcc -O2 -fpatchable-function-entry=16,8
counts gcc -O2 -fpatchable-function-entry=2
counts gcc -O2 -finstrument-functions
counts gcc -O2 -fcf-protection=full
counts gcc -O2 -flto -freorder-blocks-and-partition &&
	cold brief.cold last.cold rare.cold
if counts clang -O2 -mllvm -hot-cold-split; then
	cold rare.cold.1
	# a part that is called counts as a function of its own
	times rare.cold.1 -- ./built
	is "$(json 'time("rare.cold.1")["count"]')" $(($(own rare) / 5)) \
		'a cold part that is called is timed under its name'
fi

done_testing
