#!/usr/bin/env bash
# The counts of fast nodes in programs that were not written for these tests are
# the same as the counts of callgrind, which executes each instruction itself.
# tier: full
# covers: probe/fast probe/rings arch/x86_64
. "$(dirname "$0")/../lib.sh"

under=(env) # the command that runs all programs
# agree NAME FUNCTIONS CALLS PERCENT MODULE PATTERN PROGRAM...: the counts
# agree. Standard input is the program's input. There are at least so many
# functions, so many calls of them, and so many percent of fast nodes.
agree() {
	local name=$1 functions=$2 calls=$3 percent=$4
	shift 4
	try "${under[@]}" /usr/bin/python3 "$ROOT/tests/e2e/fast_callgrind.py" "$SCRATCH" "$@"
	is "$status" 0 "$name: the comparison with callgrind ends with status 0"
	[ "$status" = 0 ] || diag <<<"$err"
	is "$(grep wrong <<<"$out")" '' "$name: each function has the count of callgrind"
	ok "$name: the program calls at least $functions functions" \
		[ "$(value functions)" -ge "$functions" ]
	ok "$name: the program makes at least $calls calls" [ "$(value calls)" -ge "$calls" ]
	ok "$name: $percent % are fast: $(value fast) of $(value functions)" \
		[ $(($(value fast) * 100)) -ge $(($(value functions) * percent)) ]
	like "$out" 'output same' "$name: the program's output is as without the tool"
}

value() { # NAME: prints this value of the last comparison
	sed -n "s/^$1 //p" <<<"$out"
}

script=$ROOT/tests/sqlite.sql

# each run must do the same work
export PYTHONHASHSEED=0 PERL_HASH_SEED=0

agree sqlite3 500 50000 97 libsqlite3.so.0.8.6 . sqlite3 :memory: <"$script"
agree 'memory functions of sqlite3' 8 5000 100 libc.so.6 '^__(mem|str).*_(sse|avx)' \
	sqlite3 :memory: <"$script"

# in a program that is not position-independent, the number of places that can
# be jumps depends on where the heap begins
under=(setarch -R)
agree python3 300 2000 93 python3.11 '^_?Py' /usr/bin/python3 -S <<'END'
numbers = {str(i): [i] * 3 for i in range(200)}
print(sum(len(v) for v in numbers.values()), sorted(numbers)[:2])
try:
    int("x")
except ValueError as error:
    print(error)
END

under=(env)
# (the number of times that perl clears memory depends on where the kernel
# places the memory)
agree 'string functions of perl' 10 50000 97 libc.so.6 \
	'^__(memc|str|stp).*_(sse|avx)|^(__)?str.*_internal' perl <<'END'
use POSIX;
my %h;
$h{$_}++ for split / /, join ' ', map { "word$_ and more" } 1 .. 300;
print join(",", map { "$_=$h{$_}" } (sort keys %h)[0 .. 5]), "\n";
print POSIX::strtol("7f", 16), sprintf("%.3f %s", 3.14159, "x" x 70), "\n";
print POSIX::strstr("haystack", "st"), POSIX::strftime("%Y", gmtime(0)), "\n";
print join(" ", map { ucfirst lc } qw(ONE TWO THREE)), ("a" lt "b"), "\n";
END

done_testing
