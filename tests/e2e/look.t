#!/usr/bin/env bash
# What a stop shows: the same frames as gdb shows, and the source.
# tier: core full
# covers: session/inspect session/call_frames command/inspect debuginfo/frames
# again: int3
# shellcheck disable=SC2016 # dollars and backticks are the language's
. "$(dirname "$0")/../lib.sh"

cat >frames.cc <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int sink;

namespace ns
{
struct T {
	int v;

	__attribute__((noinline)) int deep(int x)
	{
		sink = x; /* here */
		return sink + v;
	}

	__attribute__((always_inline)) int middle(int y)
	{
		return deep(y * 2) + 1;
	}
};
} // namespace ns

static inline __attribute__((always_inline)) int outer(ns::T &t, int z)
{
	return t.middle(z + 1);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void handler(int number)
{
	ns::T t{5};

	sink += outer(t, number);
}

int main()
{
	static char other[65536];
	stack_t stack = {};
	struct sigaction action = {};
	int a[] = {3, 1, 2};
	ns::T t{1};

	stack.ss_sp = other;
	stack.ss_size = sizeof(other);
	sigaltstack(&stack, nullptr);
	action.sa_handler = handler;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, nullptr);
	qsort(a, 3, sizeof(*a), compare);
	printf("%d\n", outer(t, 3));
	raise(SIGUSR1);
	return 0;
}
END

# own_frames: prints the program's own frames of a backtrace, of gdb or of the
# tool, with their arguments. The frames of other code are left out, because gdb
# shows frames for tail calls in the C library that are on no stack.
own_frames() {
	sed -n -e 's/.*<signal handler called>.*/signal/p' \
		-e 's/^#[0-9]* *\(0x[0-9a-f]* in \|(inlined) *in \)\?\([A-Za-z_:]* (.*)\) at .*frames.cc:\([0-9]*\)$/\2 \3/p' |
		sed 's/0x[0-9a-f]\{6,\}/ADDRESS/g'
}

# values: prints the lines `NAME = VALUE` in order.
values() {
	sed -n 's/0x[0-9a-f]\{6,\}/ADDRESS/g; /^[a-z_]* = /p' | sort
}

ask_gdb() { # COMMAND...
	local words=()

	for command in "$@"; do
		words+=(-ex "$command")
	done
	gdb -nx -batch -ex 'handle SIGUSR1 nostop noprint' \
		-ex 'set print entry-values no' "${words[@]}" ./frames 2>&1
}

for how in -O0 -O1 -O2 '-O2 -fomit-frame-pointer' -Os; do
	one_in 5 || continue
	# shellcheck disable=SC2086 # two words are two flags
	g++ -g $how frames.cc -o frames
	for stop in ns::T::deep compare; do
		printf '%s\n' "break $stop" run where continue where kill |
			perftool -n -q ./frames 2>&1 | own_frames >ours
		ask_gdb "break $stop" run bt continue bt | own_frames >gdbs
		ok "$how: $stop was reached" test -s ours
		is "$(cat ours)" "$(cat gdbs)" \
			"$how: where at $stop shows the frames that gdb shows"
	done
	# the frames from the innermost one through inlined calls to main, and
	# the variables of each
	for frame in 0 1 2 3; do
		printf '%s\n' 'break ns::T::deep' run "frame $frame" \
			'list locals' 'evaluate $pc' list kill |
			perftool -n -q ./frames >ours 2>&1
		ask_gdb 'break ns::T::deep' run "frame $frame" 'info args' \
			'info locals' 'print $pc' >gdbs
		ok "$how: frame $frame has a line" grep -q '^#' ours
		is "$(own_frames <ours)" "$(own_frames <gdbs | tail -n 1)" \
			"$how: frame $frame is gdb's"
		is "$(values <ours)" "$(values <gdbs)" \
			"$how: arguments and locals of frame $frame are gdb's"
		is "$(sed -n 's/^(void.*<\(.*\)>$/\1/p' ours)" \
			"$(sed -n 's/^\$1 = .*<\(.*\)>$/\1/p' gdbs)" \
			"$how: \$pc in frame $frame is that of gdb"
		is "$(sed -n 's/^=>[ *]*\([0-9]*\) .*/\1/p' ours)" \
			"$(sed -n 's/^#.*frames.cc:\([0-9]*\)$/\1/p' gdbs |
				tail -n 1)" \
			"$how: list shows the line of frame $frame"
	done
done

# which frame was chosen, and for how long the choice lasts
printf '%s\n' 'break ns::T::deep' run 'frame 3' frame 'evaluate a[2]' \
	'frame 0' 'evaluate x' 'frame 3' continue frame 'frame 99' kill |
	perftool -n -q ./frames >ours 2>&1
is "$(sed -n 's/^#\([0-9]*\) .*/\1/p' ours | tr '\n' ' ')" '3 3 0 3 0 ' \
	'a chosen frame stays chosen until the program goes on'
is "$(grep -c '^3$' ours)" 1 'evaluate uses the variables of the chosen frame'
like "$(cat ours)" 'there is no frame 99; the outermost is [0-9]+' \
	'the error about a missing frame names the outermost frame'

# the source: in its place, in another place, and missing
line=$(grep -n 'here' frames.cc | cut -d: -f1)
listing() { # [OPTION...]
	printf '%s\n' "$@" "list frames.cc:$line" |
		perftool -n -q ../elsewhere/frames 2>&1 | grep "sink = x"
}
mkdir -p ../elsewhere deeper/work away
mv frames ../elsewhere/
ok 'list finds the source where the compiler read it' test -n "$(listing)"
mv frames.cc deeper/work/
is "$(listing)" '' 'list shows no line if the source is nowhere'
is "$(printf 'list main\n' | perftool -n -q ../elsewhere/frames 2>&1 |
	sed 's/.*: //; s/.*; //')" \
	"\`directory DIR' names another directory to search" \
	'list advises the command directory if the source is nowhere'
ok 'list finds the source by the end of its path in a directory' \
	test -n "$(listing 'directory away' 'directory deeper')"
ok 'list finds the source in a directory itself' test -n "$(listing 'directory deeper/work')"
cd deeper/work || exit 1
cp ../../../elsewhere/frames .
ok 'list finds the source in the directory where perftool was started' \
	test -n "$(printf 'list frames.cc:%d\n' \
	"$line" | perftool -n -q ./frames 2>&1 | grep "sink = x")"
# ---- functions ----
try perftool -q -n -e 'list functions outer_*' -e 'time outer_01' -e run \
	-e 'list functions outer_01' -- "$PROGRAMS/kin" later 3
is "$(sed -n 's/^ *\([0-9]*\)  kin  *\(outer_[0-9]*\) .*/\2 \1/p' <<<"$out" |
	head -n 16)" "$(nm -S "$PROGRAMS/kin" |
	sed -n 's/^[0-9a-f]* \([0-9a-f]*\) T \(outer_.*\)/\2 0x\1/p' |
	while read -r name size; do echo "$name $((size))"; done | sort)" \
	'list functions: names and sizes as nm has them'
like "$out" "outer_01 at kin\.c:$(grep -n '^PAIRS(0)' "$ROOT/tests/programs/kin.c" | cut -d: -f1), 6 calls" \
	'list functions: a timed function has its line and its calls'
try perftool -q -n -e 'list functions nosuch' -- "$PROGRAMS/kin"
like "$err" 'no function is named nosuch' \
	'list functions: a name that no function has is an error'
try perftool -q -n -e 'list functions *alloc*@libc.so.6 > before.txt' \
	-e 'break main' -e run -e 'list functions *alloc*@libc.so.6 > after.txt' \
	-e kill -- "$PROGRAMS/kin"
like "$(<before.txt)" ' libc.so.6 +malloc' \
	'list functions: functions of libraries are found before the run'
is "$(cmp before.txt after.txt 2>&1)" '' 'list functions: and are those of the run'
try perftool -q -n -e 'list functions nosuch@libc.so.6' -- "$PROGRAMS/kin"
like "$err" 'no function is named nosuch@libc.so.6$' \
	'list functions: a name that no library has is an error before the run'
try perftool -q -n -e 'list functions'
like "$err" 'no program' 'list functions: without a program there is an error'

done_testing
