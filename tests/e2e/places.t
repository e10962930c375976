#!/usr/bin/env bash
# Every way to name a place: the addresses are as many as gdb's, and each is
# reached as often as gdb's breakpoint there.
# tier: core
# covers: probe/request debuginfo/lines debuginfo/symbols
# again: int3
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library
. "$ROOT/tests/gdb.sh"

cat >one.cc <<'END'
#include "both.h"

static __attribute__((noinline)) int same(int n)
{
	sink = n;
	return n + 1;
}

int one(int n)
{
	return same(n) + same(n + 1);
}
END
cat >two.cc <<'END'
#include "both.h"

static __attribute__((noinline)) int same(int n)
{
	sink = n;
	return n + 2;
}

int two(int n)
{
	return same(n) * twice(n) + inlined(n) + inlined(n + 1);
}
END
cat >both.h <<'END'
extern volatile int sink;

template <typename T> __attribute__((noinline)) T twice(T x)
{
	sink = sink + 1;
	return x + x;
}

static inline __attribute__((always_inline)) int inlined(int n)
{
	sink = n; /* here */
	return n * 3;
}

int one(int n);
int two(int n);
END
cat >main.cc <<'END'
#include "both.h"

#include <cstdio>

volatile int sink;

namespace shop
{
class Till
{
	int sum = 0;

      public:
	void add(int n)
	{
		sum += n;
	}
	void add(double x)
	{
		sum += (int)x;
	}
	template <typename T> void add(const T *p)
	{
		sum += (int)*p;
	}
	__attribute__((noinline)) int total() const
	{
		return sum;
	}
};
} // namespace shop

void add(int n)
{
	sink = n;
}

int main()
{
	shop::Till till;
	int n = 3;
	long l = 4;

	for (int i = 0; i < 7; i++) {
		till.add(i);
		if (i % 2)
			till.add(0.5 * i);
		till.add(&n);
		till.add(&l);
		add(i);
		add(one(i) + two(i) + inlined(i));
		twice(1.5);
	}
	printf("%d\n", till.total());
	return 0;
}
END
for how in -O0 -O2; do
	g++ -g $how -fno-inline-functions -fno-inline-small-functions \
		-fno-ipa-cp -fno-ipa-sra -fno-ipa-icf -o "places$how" \
		one.cc two.cc main.cc
done

locs=(same add shop::Till::add 'shop::Till::add(int)' 'shop::Till::add(double)'
	'add(int)' twice 'twice<int>' 'twice<double>' Till::total main inlined)
for how in -O0 -O2; do
	mapfile -t ours < <(reached "./places$how" "${locs[@]}" \
		one.cc:same two.cc:same)
	# gdb 13 writes FILE:FUNC as -source FILE -function FUNC
	mapfile -t theirs < <(gdb_reached "./places$how" "${locs[@]}" \
		'-source one.cc -function same' '-source two.cc -function same')
	i=0
	for loc in "${locs[@]}" one.cc:same two.cc:same; do
		is "${ours[i]}" "${theirs[i]}" "$how: $loc has the addresses and counts of gdb"
		i=$((i + 1))
	done
done

is "$(reached ./places-O0 'shop::*::add*')" '4 24' 'a glob matches over scopes'
is "$(reached ./places-O0 'twice<*>')" '2 14' 'a glob matches the arguments of a template'
is "$(reached ./places-O0 "'one.cc'::same" "'shop::Till::add(int)'")" \
	"$(reached ./places-O0 one.cc:same 'shop::Till::add(int)')" \
	"names may be quoted as in gdb"
is "$(reached ./places-O0 'nowhere.cc:same')" \
	'0 0' 'FILE:FUNC with an unknown file has no place'
printf '%s\n' 'break nowhere.cc:same' | perftool -n --pending ./places-O0 >out 2>&1
is "$(head -n 1 out)" \
	'Breakpoint #1: nowhere.cc:same (pending: no function same of nowhere.cc in places-O0, libc.so.6, ld-linux-x86-64.so.2).' \
	'a message says that FILE:FUNC was not found'

times one.cc:same -- ./places-O0
is "$(json '[l["count"] for l in t["legs"]]')" 14 'time FILE:FUNC times the function'

# each copy is shown with its caller
printf '%s\n' 'break inlined' 'list breaks' | perftool -n -q ./places-O2 |
	sed -n 's/.* \(inlined into .*\) both.h.*/\1/p' | sort >out
is "$(cat out)" 'inlined into main
inlined into two(int)
inlined into two(int)' 'list breaks shows each copy with its caller'

cat >copies.c <<'END'
#include <stdio.h>

static volatile int sink;

static inline int work(int n)
{
	sink += n;
	return n * 2;
}

int main(void)
{
	int (*volatile pointer)(int) = work;
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += work(i) + work(i + 1) + pointer(i);
	printf("%d\n", sum);
	return 0;
}
END
gcc -g -O2 copies.c -o copies
is "$(reached ./copies work)" '3 30' 'break FUNC is at the function and at its inlined copies'
perftool -n -t work ./copies >out 2>log
is "$(grep -c 'work is also inlined, in 2 places: calls there have no exit and are not timed; .break work. counts them' log)" \
	1 'time says once that it does not cover inlined copies'
# A leg that begins or ends at an inlined function has all its copies.
try perftool -q -n -b -f json -o t.json -e 'add leg work printf' \
	-e 'add leg entry work printf' -e 'add leg work exit work' ./copies
is "$(json '[n["count"] for n in t["nodes"]]')" '30 1 10 10' \
	'a leg between functions counts copies; one within a function does not'
printf '%s\n' 'break work' run where kill | perftool -n ./copies 2>&1 |
	sed -n 's/^Breakpoint 1, //p; s/^#\([01]\) *[^ ]* *in \([a-z]* (\).*) at/\1 \2) at/p' >out
line=$(grep -n 'sink += n' copies.c | cut -d: -f1)
call=$(grep -n 'work(i)' copies.c | cut -d: -f1)
is "$(cat out)" "work () at copies.c:$line
0 work () at copies.c:$line
1 main () at copies.c:$call" 'a stop in a copy is a stop in the function'
is "$(reached ./copies 'entry work')" '1 10' 'break entry FUNC is at the function only'

# versions of a symbol: each has its own place and its own code
printf '%s\n' 'break main' run 'break entry realpath@GLIBC_2.3' \
	'break entry realpath@@GLIBC_2.3' 'break entry realpath@GLIBC_2.2.5' \
	'break entry realpath@libc' 'break entry realpath@GLIBC_9' 'list breaks' \
	kill | perftool -n -q ./copies >out 2>&1
libc=$(sed -n 's/^      0x\([0-9a-f]*\) realpath.* in libc.so.6$/\1/p' out)
wanted=$(objdump -T /lib/x86_64-linux-gnu/libc.so.6 |
	sed -n 's/^0*\([0-9a-f]*\) .* (*\(GLIBC_[0-9.]*\))*  *realpath$/\2 \1/p' | sort)
new=$(sed -n 's/^GLIBC_2.3 //p' <<<"$wanted")
old=$(sed -n 's/^GLIBC_2.2.5 //p' <<<"$wanted")
is "$(for at in $libc; do echo $(((16#$at - 16#$new) & 0xfff)); done | tr '\n' ' ')" \
	"0 0 $(((16#$old - 16#$new) & 0xfff)) 0 $(((16#$old - 16#$new) & 0xfff)) " \
	'each version of a symbol has its own code'
is "$(grep -c 'no module GLIBC_9 is loaded' out)" 1 \
	'a message says that a version of a symbol is unknown'

# the place of an indirect function is the implementation that was chosen, and
# not the code that chooses
cat >indirect.c <<'END'
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t (*volatile length)(const char *) = strlen;
	int sum = 0;
	char c;

	if (argc > 1 && read(0, &c, 1) != 1)
		return 1;
	for (int i = 0; i < 70; i++)
		sum += (int)length(argv[0]);
	for (int i = 0; i < 30; i++)
		sum += strchr(argv[0], 'x') != NULL;
	return sum == 0;
}
END
gcc -g -O0 -fno-builtin indirect.c -o bound
gcc -g -O0 -fno-builtin -Wl,-z,lazy indirect.c -o lazy
gcc -g -O0 -fno-builtin -static indirect.c -o static
gcc -g -O0 -fno-builtin -static-pie indirect.c -o static-pie
for how in bound lazy; do
	is "$(reached "./$how" 'entry strlen@libc.so.6' \
		'strlen@libc.so.6')" $'1 70\n1 70' \
		"$how: the place of an indirect function is its implementation"
done
for how in static static-pie; do
	is "$(reached "./$how" 'entry strlen' 'entry strchr')" \
		$'1 70\n1 30' "$how: the place of an indirect function is its implementation"
done
mkfifo gate
exec 3<>gate
start ./bound wait <&3
# shellcheck disable=SC2317 # wait_for calls it
waits() {
	grep -q bound "/proc/$started/comm" &&
		grep -q 'State:.S' "/proc/$started/status"
}
ok 'the program with an indirect function waits for input' wait_for 10 waits
perftool -n -q -b -f json -o report.json -e 'time strlen@libc.so.6' \
	-e 'shell echo >gate' -p "$started" >log 2>&1
is "$(/usr/bin/python3 -c 'import json
print(json.load(open("report.json"))["legs"][0]["count"])')" 70 \
	'attached: each call of an indirect function is counted'
# ---- a no-operation behind a return that the function jumps to ------------------

for mechanism in fast int3; do
	try perftool -q -n -b -f json -o t.json -e "set mechanism $mechanism" \
		-e 'break exit choose if 1' "$PROGRAMS/padding" 1000
	is "$status $out" '0 right' \
		"$mechanism: a program that jumps to a no-operation is right"
	is "$(json 't["nodes"][0]["count"]')" 2000 \
		"$mechanism: each exit before a no-operation is counted"
done

# ---- within an instruction ----
# An int3 there would make the program crash. objdump knows where instructions begin.
begins=$(objdump -d --no-show-raw-insn "$PROGRAMS/nopie" |
	sed -n '/<work>:$/,/^$/s/^ *\([0-9a-f]*\):.*/0x\1/p' | head -n 12)
first=$(head -n 1 <<<"$begins")
agree=
for ((offset = 0; offset < $(tail -n 1 <<<"$begins") - first; offset++)); do
	begin=$(printf '0x%x' $((first + offset)))
	for place in "work+$offset" "*$begin"; do
		try perftool -b -q -n -o /dev/null -e "break $place if 1" "$PROGRAMS/nopie" 10
		if grep -qx "$begin" <<<"$begins"; then
			[ "$status" = 0 ] || agree+=" $place: $status $err"
		else
			[[ $status = 1?? && $err = *'within an instruction'* ]] ||
				agree+=" $place: $status $err"
		fi
	done
done
is "$agree" '' 'a place within an instruction is refused, and no other'
done_testing
