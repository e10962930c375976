#!/usr/bin/env bash
# Exits of functions whose jumps and returns are written in another way: through
# thunks, against speculation, and with split stacks. Each program counts its
# calls itself.
# tier: full
# covers: arch/x86_64 probe/arrival
. "$(dirname "$0")/../lib.sh"

cat >ways.c <<'END'
#include <stdio.h>
#include <string.h>
#define APART __attribute__((noinline, noclone, noipa))
static unsigned long leaf_calls, steps_calls, call_calls, hand_calls,
	wide_calls, fold_calls;
typedef long work(long);

APART long leaf(long n) { leaf_calls++; return 2 * n + 1; }

/* jumps about within itself, by a table */
APART long steps(const unsigned char *code)
{
	static void *const table[] = {&&add, &&twice, &&call, &&end};
	long sum = 0;

	steps_calls++;
	goto *table[*code++];
add:	sum += 3;
	goto *table[*code++];
twice:	sum *= 2;
	goto *table[*code++];
call:	sum += leaf(sum);
	goto *table[*code++];
end:	return sum;
}

/* calls through a pointer, and goes on through one */
APART long call(work *f, long n) { call_calls++; return f(n) + 1; }
APART long hand(work *f, long n) { hand_calls++; return f(n); }

/* needs much of the stack, and itself */
APART long wide(long n)
{
	volatile char room[30000];

	wide_calls++;
	memset((char *)room, (int)n, sizeof(room));
	return n > 0 ? wide(n - 1) + room[n] : room[5];
}

/* No compiler is to make a loop of it. */
APART long fold(long n)
{
	long one, other;

	fold_calls++;
	if (n < 2)
		return leaf(n);
	one = fold(n - 1);
	__asm__ volatile("" : "+r"(one));
	other = fold(n - 2);
	__asm__ volatile("" : "+r"(other));
	return one + other;
}

int main(void)
{
	static const unsigned char code[] = {0, 1, 2, 1, 0, 2, 3};
	long sum = 0;

	for (long i = 0; i < 100; i++) {
		sum += steps(code + i % 3) + call(leaf, i) + hand(leaf, i) +
		       hand(fold, i % 3);
		if (i % 20 == 0)
			sum += wide(i / 10) + fold(7);
	}
	printf("leaf %lu\nsteps %lu\ncall %lu\nhand %lu\nwide %lu\nfold %lu\n"
	       "sum %ld\n", leaf_calls, steps_calls, call_calls, hand_calls,
	       wide_calls, fold_calls, sum);
}
END

functions=(leaf steps call hand wide fold)

# counts COMPILER OPTION...: there are as many exits, returns and times as calls
counts() {
	local wanted='' twice='' function plain exits=()

	if ! "$@" -O2 -w -g ways.c -o ways 2>log; then
		pass "$* # SKIP this compiler cannot"
		return
	fi
	plain=$(./ways)
	for function in "${functions[@]}"; do
		wanted+=" $(sed -n "s/^$function //p" <<<"$plain")"
		exits+=("break exit $function if 1")
	done
	twice=$(tr ' ' '\n' <<<"${wanted# }" | sed p | xargs)
	for MECHANISM in int3 fast; do
		times "${functions[@]}" -- ./ways
		is "$out" "$plain" "$*: $MECHANISM: the output is as without perftool"
		is "$(json '[n["count"] for n in t["nodes"]]')" "$twice" \
			"$*: $MECHANISM: entries and returns are as many as the calls"
		is "$(json '[l["count"] for l in t["legs"]]')" "${wanted# }" \
			"$*: $MECHANISM: every call is timed"
		is "$(json 'kept()')" True "$*: $MECHANISM: the counts of legs and nodes agree"
		batch "${exits[@]}" -- ./ways
		is "$(json '[n["count"] for n in t["nodes"]]')" "${wanted# }" \
			"$*: $MECHANISM: exits are as many as the calls"
	done
}

counts gcc
counts gcc -mindirect-branch=thunk
counts gcc -mindirect-branch=thunk-inline
counts gcc -mindirect-branch=thunk -mfunction-return=thunk
counts gcc -mindirect-branch=thunk-inline -mfunction-return=thunk-inline
counts gcc -fsplit-stack
counts clang -mretpoline
counts clang -mlvi-hardening

done_testing
