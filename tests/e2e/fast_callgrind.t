#!/usr/bin/env bash
# What fast nodes count, of programs that nobody here wrote, is what callgrind
# counts: it executes each instruction itself.
. "$(dirname "$0")/../lib.sh"

under=(env) # what all of it runs under
# agree NAME FUNCTIONS CALLS PERCENT MODULE PATTERN PROGRAM...: standard input is
# what it is to do; at least so many functions, calls of them, and fast nodes
agree() {
	local name=$1 functions=$2 calls=$3 percent=$4
	shift 4
	try "${under[@]}" python3 "$ROOT/tests/e2e/fast_callgrind.py" "$SCRATCH" "$@"
	is "$status" 0 "$name: status"
	[ "$status" = 0 ] || diag <<<"$err"
	is "$(grep wrong <<<"$out")" '' "$name: each counts the same"
	ok "$name: many functions" \
		[ "$(value functions)" -ge "$functions" ]
	ok "$name: many calls" [ "$(value calls)" -ge "$calls" ]
	ok "$name: $(value fast) of $(value functions) are fast" \
		[ $(($(value fast) * 100)) -ge $(($(value functions) * percent)) ]
	like "$out" 'output same' "$name: the output is the same"
}

value() { # NAME: of what was printed last
	sed -n "s/^$1 //p" <<<"$out"
}

script=$ROOT/tests/sqlite.sql

# all of what they do is to be the same each time
export PYTHONHASHSEED=0 PERL_HASH_SEED=0

agree sqlite3 500 50000 97 libsqlite3.so.0.8.6 . sqlite3 :memory: <"$script"
agree 'its memory' 8 5000 100 libc.so.6 '^__(mem|str).*_(sse|avx)' \
	sqlite3 :memory: <"$script"

# how many places of a program that is not position-independent can be jumps
# depends on where its heap begins
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
# (how often it clears memory depends on where the kernel puts it)
agree 'strings' 10 50000 97 libc.so.6 \
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
