#!/usr/bin/env bash
# A function lasts until its frame returns, whichever function executes the
# return: direct and indirect tail calls, tail calls through the PLT, in rings
# and in threads, and frames that are unwound instead. Under both mechanisms.
# tier: core full
# covers: probe/arrival
. "$(dirname "$0")/../lib.sh"

functions=(outer inner through hop even odd first second third climb leap land
	choose loop)

# ends FUNC NAME: the entries are as many as the program has counted; all of
# them that were not unwound have returned, and as many times were measured
ends() {
	local lost
	lost=$(own "$1_lost")
	is "$(json "entry('$1')['count'], exit('$1')['count'],
		time('$1')['count'], time('$1')['ignored_to'] +
		time('$1')['ignored_from']")" \
		"$(own "$1") $(($(own "$1") - ${lost:-0})) $(($(own "$1") - ${lost:-0})) 0" \
		"$MECHANISM: $2"
}

for MECHANISM in int3 fast; do
	try "$PROGRAMS/tails"
	plain=$(own sum)

	times "${functions[@]}" -- "$PROGRAMS/tails"
	is "$status $(own sum)" "0 $plain" \
		"$MECHANISM: the program computes the same as without perftool"
	is "$err" '' "$MECHANISM: timing these functions gives no message"
	for function in "${functions[@]}"; do
		ends "$function" "each call of $function() is counted and timed"
	done
	is "$(json 'kept()')" True "$MECHANISM: the counts of legs and nodes agree"
	is "$(json "entry('outer', 'return')['kind']")" return \
		"$MECHANISM: a timed function ends at a node of kind return"
	cp t.json "$MECHANISM.json"
	# The comparison uses the program's own clock, and no compensation: a
	# calibrated cost is a mean, and on a busy machine some breaks cost far
	# less.
	batch 'set compensation off' 'time outer' 'time inner' -- "$PROGRAMS/tails"
	ok "$MECHANISM: each outer() takes as long as inner() sleeps" [ "$(json \
		"time('outer')['min_ns'] >= 0.99 * $(own shortest_sleep)")" = True ]

	# alone: no other function is timed where its frames end
	for function in $(sampled 1 outer through hop even climb leap); do
		times "$function" -- "$PROGRAMS/tails"
		ends "$function" "timed alone, each call of $function() is counted and timed"
		is "$(json 't["summary"]["breaks"] ==
			entry("'"$function"'")["count"] + '"$(own "$function")"' -
			'"$(($(own "$function"_lost)))"'')" \
			True "$MECHANISM: $function: only entries and ends count as breaks"
	done
	# A jump of the program becomes a fast node when the int3s at it have
	# cost as much as the change would cost. The number of calls is large
	# enough for the slowest machine.
	times first -- "$PROGRAMS/tails" 4000
	is "$(json "entry('first', 'return')['mechanism']")" "$MECHANISM" \
		"$MECHANISM: a return node has the mechanism of the jump out of the function"
	batch 'set compensation off' 'time outer' -- "$PROGRAMS/tails"
	ok "$MECHANISM: timed alone, outer() takes as long as inner() sleeps" [ "$(json \
		"time('outer')['min_ns'] >= 0.99 * $(own shortest_sleep)")" = True ]

	batch 'break return choose if 1' 'break exit choose if 1' \
		'break return choose if n > 4' -- "$PROGRAMS/tails"
	is "$(json 'node(1)["count"], node(2)["count"]')" \
		"$(own choose) $(own choose)" \
		"$MECHANISM: choose() has as many exits and as many returns as calls"
	is "$(json 'node(3)["errors"]')" "$(($(own choose) / 4))" \
		"$MECHANISM: a condition at a return in another function is an error"

	times area risky thrower -- "$PROGRAMS/tails_virtual"
	is "$(json "[(n['count']) for n in t['nodes']]")" \
		"$(own area) $(($(own area) - $(own area_lost))) $(own risky) $(($(own risky) - $(own risky_lost))) $(own thrower) $(($(own thrower) - $(own thrower_lost)))" \
		"$MECHANISM: calls of virtual and of throwing functions are counted"
	is "$(json "[l['count'] for l in t['legs']]")" \
		"$(($(own area) - $(own area_lost))) $(($(own risky) - $(own risky_lost))) $(($(own thrower) - $(own thrower_lost)))" \
		"$MECHANISM: calls that return are timed, calls that throw are not"
	is "$(json 'kept()')" True \
		"$MECHANISM: with exceptions, the counts of legs and nodes agree"
done
is "$(json 'counted()' int3.json)" "$(json 'counted()' fast.json)" \
	'int3 and fast give the same counts'
is "$(json 't["summary"]["breaks"]' int3.json)" \
	"$(json 't["summary"]["breaks"]' fast.json)" \
	'int3 and fast handle the same number of breaks'

# ---- a stop ----

try perftool -q -n -e 'break return outer' -e run -e where -e continue -e where \
	-e 'delete 1' -e 'time outer' -e continue "$PROGRAMS/tails"
like "$out" '#0 .*inner.*#1 .*main' \
	'break return outer stops in inner(), where the frame of outer() ends'
is "$(grep -c '^#0.* inner' <<<"$out")" 2 'break return outer stops at each end of a frame'

# ---- libraries that are loaded with lazy binding, and without ----

for how in $(sampled 1 -Wl,-z,lazy -Wl,-z,now -fno-plt -no-pie -static); do
	cat >way.c <<-'END'
		#include <stdio.h>
		#include <string.h>
		#include <unistd.h>
		#define APART __attribute__((noinline, noclone, noipa))
		volatile int calls;
		APART void *copy(void *to, const void *from, size_t n) {
			calls++; return memcpy(to, from, n); }
		APART int say(const char *s) { calls++; return puts(s); }
		APART pid_t who(void) { calls++; return getppid(); }
		int main(void) {
			char a[200], b[200] = "x";
			for (int i = 0; i < 20; i++) {
				copy(a, b, 100 + i); say(a); who(); getppid();
				memcpy(b, a, 50 + i);
			}
		}
	END
	gcc -O2 -g "$how" -w way.c -o way
	for MECHANISM in int3 fast; do
		times copy say who -- ./way
		is "$(json '[l["count"] for l in t["legs"]]')" '20 20 20' \
			"$MECHANISM: $how: functions that end in the C library are timed"
		is "$(json '[n["count"] for n in t["nodes"]]')" \
			'20 20 20 20 20 20' \
			"$MECHANISM: $how: each entry and each return is counted once"
	done
done

# ---- cold parts that no symbol names ----

# The program is stripped, so that only .eh_frame describes inner() and its cold
# part. The cold part returns twice the odd numbers from inner()'s frame.
cat >stripped.c <<'END'
#include <stdio.h>
__asm__(".text\n"
	"inner:\n"
	"	.cfi_startproc\n"
	"	push %rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset rbx, -16\n"
	"	mov %rdi, %rbx\n"
	"	test $1, %bl\n"
	"	jne inner_cold\n"
	"	lea 7(%rbx), %rax\n"
	"	pop %rbx\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".section .text.unlikely, \"ax\"\n"
	"	.cfi_startproc\n"
	"	ud2\n" /* another function is before it */
	"	.cfi_endproc\n"
	"inner_cold:\n"
	"	.cfi_startproc\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset rbx, -16\n"
	"	lea (%rbx, %rbx), %rax\n"
	"	pop %rbx\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".text\n");
long inner(long n);
__attribute__((noipa)) long outer(long n) { return inner(n + 1); }
int main(void)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += outer(i);
	printf("sum %ld\n", sum);
}
END
gcc -O2 -rdynamic -fno-pie -no-pie stripped.c -o stripped
strip stripped
for MECHANISM in int3 fast; do
	times outer -- ./stripped
	is "$status $(own sum)" '0 754000' \
		"$MECHANISM: the stripped program prints the right sum"
	is "$(json 't["legs"][0]["count"], t["legs"][0]["unwound"],
		[n["count"] for n in t["nodes"]]')" '1000 0 [1000, 1000]' \
		"$MECHANISM: returns in a cold part without a symbol are counted"
	in_full || continue
	times PyDict_SetItem -- /usr/bin/python3 -c 'd = {i: i for i in range(1000)}'
	is "$(json 't["legs"][0]["count"] == t["nodes"][0]["count"] > 1000,
		t["legs"][0]["unwound"]')" 'True 0' \
		"$MECHANISM: python3: each call of PyDict_SetItem is timed"
done

# ---- a jump that leads to many functions ----

# many COUNT: makes a program whose function `dispatch` jumps to COUNT functions
many() {
	{
		echo "#define COUNT $1"
		for ((i = 0; i < $1; i++)); do
			echo "__attribute__((noipa, aligned(32)))" \
				"long leaf_$i(long n) { return n + $i; }"
		done
		echo 'static long (*const leaves[])(long) = {'
		seq -f 'leaf_%g,' 0 $(($1 - 1))
		cat <<-'END'
			};
			__attribute__((noipa, aligned(32))) long dispatch(long n, long which)
			{
				return leaves[which](n + 1);
			}
			int main(void)
			{
				long sum = 0;
				for (long i = 0; i < 200 * COUNT; i++)
					sum += dispatch(i, i % COUNT);
				return sum == 0;
			}
		END
	} >many.c
	gcc -O2 many.c -o many
}

many 96
for MECHANISM in $(sampled 1 int3 fast); do
	times dispatch -- ./many
	is "$(json 't["legs"][0]["count"], kept(),
		[n["mechanism"] for n in t["nodes"]]')" \
		"19200 True ['$MECHANISM', '$MECHANISM']" \
		"$MECHANISM: a trampoline knows 96 functions to which a jump leads"
done
many 97
times dispatch -- ./many
is "$(json 't["legs"][0]["count"], kept(), t["nodes"][1]["mechanism"]')" \
	'19400 True int3' 'a jump that leads to more functions is an int3'
try perftool -q -n -b -e "profile functions '*'" -e run \
	-e 'save functions f.json' -- ./many
is "$(/usr/bin/python3 -c 'import json
calls = {f["function"]: f["calls"] for f in json.load(open("f.json"))["functions"]}
print(calls["dispatch"], {calls[f"leaf_{i}"] for i in range(97)})')" \
	'19400 {200}' 'and the calls of each function are counted'

# ---- code of which no function is known ----

cat >unknown.c <<'END'
#include <string.h>
#include <sys/mman.h>
static long (*made)(long);
__attribute__((noinline, noclone, noipa)) long leave(long n) { return made(n + 1); }
int main(void) {
	static const unsigned char code[] = {0x48, 0x89, 0xf8, 0xc3};
	long sum = 0;
	void *at = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(at, code, sizeof(code));
	made = (long (*)(long))at;
	for (int i = 0; i < 10; i++)
		sum += leave(i);
	return sum == 55 ? 0 : 1;
}
END
gcc -O2 -g unknown.c -o unknown
for MECHANISM in int3 fast; do
	times leave -- ./unknown
	is "$status" 0 \
		"$MECHANISM: a program that calls code made at run time ends with status 0"
	like "$err" 'leave jumps to 0x[0-9a-f]+, which is in no known function' \
		"$MECHANISM: a jump into no known function gets a warning"
	is "$(json 'leg(0)["count"], kept()')" '0 True' \
		"$MECHANISM: a frame that ends in no known function is not timed"
	try perftool -q -n -b -e "set mechanism $MECHANISM" \
		-e 'profile functions leave' -e run -e 'print functions' -- ./unknown
	unlike "$err" 'no known function' \
		"$MECHANISM: profile functions: there is no warning"
	like "$out" '10~ .* leave' \
		"$MECHANISM: profile functions: the calls are marked"
done

done_testing
