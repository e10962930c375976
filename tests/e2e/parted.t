#!/usr/bin/env bash
# A part that the compiler has split off a function, and that it calls, is a
# function of its own: profiles of all functions count its calls, globs and lists
# find it, and tables have its name. A cold part belongs to its function.
# tier: core
# covers: debuginfo/symbols debuginfo/frames session/profiling
. "$(dirname "$0")/../lib.sh"

# parted NAME LINKED COMPILER...: `NAME` is how tables call the part whose linked
# name is LINKED
parted() {
	local name=$1 linked=$2 calls
	shift 2
	"$@" -O2 -g "$ROOT/tests/programs/parted.c" -o parted
	if ! nm parted | grep -q " $linked\$"; then
		pass "$* # SKIP this compiler does not split the function"
		return
	fi
	calls=$(out=$(./parted) own look)
	for text in "'*'" "'*look*'" "$linked" "'$name'"; do
		batch "profile functions $text" run 'set format json' \
			'print functions > f.json' -- ./parted
		is "$(json "['%s %d' % (f['function'], f['calls']) for f in t['functions']
			if 'look' in f['function']]" f.json)" "$name $calls" \
			"$1: profile functions $text counts the calls of the part"
	done
	batch 'profile calls' run 'save profile arcs.json' -- ./parted
	is "$(json "sum(arc['count'] for arc in t['arcs'] if
		t['functions'][arc['callee']]['name'] == '$name')" arcs.json)" "$calls" \
		"$1: profile calls counts them, too"
	try perftool -n -q -b -e "list functions '*look*@parted'" ./parted
	is "$(grep -c 'look.*part' <<<"$out")" 1 "$1: a list of functions has the part once"
	batch 'time *look*' -- ./parted
	is "$(json "[leg['count'] for leg in t['legs']]")" "$calls" \
		"$1: a glob times the part, and not its cold part"
}

parted look.part.0 look.part.0 gcc
parted 'shop::look [clone .part.0]' _ZN4shopL4lookEPKii.part.0 g++ -x c++

done_testing
