#!/usr/bin/env bash
# `profile functions` counts as many calls of each function as callgrind, which
# executes each instruction itself, in programs that were not written for these
# tests: recursive calls, tail jumps, and functions that no symbol names.
# tier: full
# covers: session/profiling profile probe/rings debuginfo/symbols
. "$(dirname "$0")/../lib.sh"

# Beside other tests, calls that stop the program take several times as long.
LIMIT=200

# agree NAME FUNCTIONS CALLS COMMANDS MODULE PROGRAM...: the counts agree.
# Standard input is the program's input. There are at least so many functions,
# and so many calls of them.
agree() {
	local name=$1 functions=$2 calls=$3 commands=$4 module=$5
	shift 5
	try /usr/bin/python3 "$ROOT/tests/e2e/profile_callgrind.py" "$SCRATCH" "$module" \
		"$commands" "$@"
	# shellcheck disable=SC2154 # `try` sets it
	is "$status" 0 "$name: the comparison with callgrind ends with status 0"
	# shellcheck disable=SC2154
	[ "$status" = 0 ] || diag <<<"$err"
	# shellcheck disable=SC2154
	is "$(grep wrong <<<"$out")" '' "$name: each function has the count of callgrind"
	ok "$name: there are at least $functions functions" \
		[ "$(value functions)" -ge "$functions" ]
	ok "$name: there are at least $calls calls" [ "$(value calls)" -ge "$calls" ]
	like "$out" 'output same' "$name: the program's output is as without the tool"
}

value() { # NAME: prints this value of the last comparison
	sed -n "s/^$1 //p" <<<"$out"
}

# Valgrind computes long doubles with 64 bits. SQLite 3.46 asks at its start how many
# there are, and would take another way there.
{ echo .testctrl uselongdouble 0; cat "$ROOT/tests/sqlite.sql"; } >rows.sql
for commands in 'set mechanism auto' 'set counting ring'; do
	agree "sqlite3, $commands" 500 50000 "$commands" libsqlite3.so.0.8.6 \
		sqlite3 :memory: <rows.sql
done
# (fewer rows, as each call stops the program)
sed s/300/60/g rows.sql >few.sql
agree 'sqlite3, int3' 500 30000 'set mechanism int3' libsqlite3.so.0.8.6 \
	sqlite3 :memory: <few.sql
# (with several threads the work depends on the number of processors)
export PERL_HASH_SEED=0
seq 1 3000 | sort -R --random-source=/dev/zero >numbers
agree sort 30 50000 'set mechanism auto' sort sort -n --parallel=1 <numbers
# (how often perl's objects are freed at the end depends on the environment)
cat >words.pl <<'END'
my %h;
$h{$_}++ for split / /, join ' ', map { "word$_ and more" } 1 .. 300;
print join(",", map { "$_=$h{$_}" } (sort keys %h)[0 .. 5]), "\n";
for my $i (1 .. 50) { eval { die "x$i\n" if $i % 3; }; }
sub f { my $n = shift; return $n < 2 ? $n : f($n - 1) + f($n - 2); }
print f(12), "\n";
END
try /usr/bin/python3 "$ROOT/tests/e2e/profile_callgrind.py" "$SCRATCH" perl \
	'set mechanism auto' perl <words.pl
ok 'perl: of 100 functions 99 have the count of callgrind' \
	[ $(($(value same) * 100)) -ge $(($(value functions) * 99)) ]
ok 'perl: there are at least 300 functions' [ "$(value functions)" -ge 300 ]

done_testing
