#!/usr/bin/env bash
# The remarks about the exits of functions that go on in another function (tail
# calls); names of modules that are globs; and names from Rust.
# tier: core
# covers: probe/arrival command/families debuginfo/symbols
. "$(dirname "$0")/../lib.sh"

# remarks FUNC: sets $err to the remarks of `break exit FUNC`
remarks() {
	try perftool -q -n -e "break exit $1" -e 'list breaks' \
		"$PROGRAMS/returns"
	err=$(grep 'ends with' <<<"$err")
}

# ---- a jump at the end ----

remarks tail
is "$err" "tail ends with a jump to target: its exit is before the jump; \`break return tail' is where its frame ends" \
	'break exit tells where a tail call leads'
like "$out" $'exit of tail[^\n]*\n +0x[0-9a-f]+ tail [^\n]*, a jump' \
	'list breaks marks the jump of a tail call'
remarks hop
is "$err" "hop ends with a jump to another function: its exit is before the jump; \`break return hop' is where its frame ends" \
	'break exit calls the target of an indirect jump another function'
remarks choose
is "$err" '' 'break exit has no remark if the function has a return, too'
like "$out" $'exit of choose, 2 places[^\n]*\n[^\n]*, a jump\n[^,\n]*\n*$' \
	'list breaks marks the jump of a function that has a return, too'
remarks stay
is "$err" '' 'break exit has no remark on jumps within a function'
remarks many
is "$err" '' 'break exit has no remark on one jump among returns'
remarks target
is "$err" '' 'break exit has no remark on a function that ends with a return'
unlike "$out" 'a jump' 'list breaks does not mark a return'

try perftool -q -n -e 'break entry tail' -e 'break tail' \
	-e 'break return tail' -e 'time tail' -e 'list breaks' "$PROGRAMS/returns"
unlike "$err" 'ends with' 'entries, returns and times get no remark on tail calls'
like "$out" $'return of tail[^\n]*\n +0x[0-9a-f]+ tail [^\n]*, goes on in another' \
	'list breaks tells that the frame goes on in another function'
try perftool -q -n -e 'break exit t*l' "$PROGRAMS/returns"
unlike "$err" 'ends with' 'break exit with a glob has no remark on tail calls'

# The tool makes the remark when the function is found, in whichever process,
# and makes it only once.
batch 'break exit tail if 1' -- "$PROGRAMS/returns"
is "$(grep -c 'ends with' <<<"$err")" 1 'batch mode makes the remark on a tail call once in a run'
is "$(json 'node(1)["count"]')" 400 'exits by a tail call are counted'

# For a pending breakpoint, the tool makes the remark when the library is
# loaded.
try perftool -q -n -b -e 'break exit strcoll@libc.so.6 if 1' -f json -o t.json \
	sort <<<$'b\na'
like "$err" '^strcoll ends with a jump to [a-z_]+: ' 'a pending break exit has the remark when the library is loaded'

try perftool -n -e 'help time' -e 'help break return'
like "$out" 'ends\s+with\s+a\s+jump\s+to\s+another\s+function.*ends\s+with\s+a\s+jump\s+to\s+another\s+function' 'the help of time and break return explains tail calls'

# ---- the cost of following tail calls ----

# The ten jumps of f, and the thirty returns of g, some of which happen while no
# f is active: none of them is a hit of a node.
cat >follow.c <<'END'
__attribute__((noinline)) int g(int x) { __asm__(""); return x + 1; }
__attribute__((noinline)) int f(int x) { __asm__(""); return g(x * 2); }
int main(void)
{
	int s = 0;

	for (int i = 0; i < 10; i++)
		s += f(i) + g(i) + g(s);
	return s & 1;
}
END
gcc -g -O2 follow.c -o follow
for mechanism in int3 fast; do
	try perftool -q -n -b -f json -o t.json -e "set mechanism $mechanism" \
		-e 'time f' ./follow
	is "$(json 't["summary"]["followed"], t["summary"]["breaks"]')" '40 20' \
		"$mechanism: hits that follow tail calls have a count apart from breaks"
done
try perftool -q -n -b -t f ./follow
like "$err" $'\nHits that follow Tail Calls = 40 ' 'the heading of the tables tells the hits that follow tail calls'

# ---- tail calls that are seldom taken ----

# The tool patches the target of a tail call only when the call has been taken,
# because another part of the program may call the target very often.
for mechanism in int3 fast auto; do
	batch "set mechanism $mechanism" 'time fun' -- "$PROGRAMS/cold"
	like "$out" '^before 0 after 1 sum ' \
		"$mechanism: a function is patched only after a tail call has led to it"
	is "$(json 'leg(0)["count"], leg(0)["open"], leg(0)["unwound"]')" '13 0 0' \
		"$mechanism: calls that take a tail call are timed to their end"
done

# Each forked process finds out for itself where its functions go on: a child
# that takes a tail call later than its parent, and children that are forked
# while threads of the parent take a tail call for the first time. 15 of 16
# functions are timed: if there were more, the tool would look at the targets
# before. $sums is the sums of the entries, the returns and the executions.
sums='[sum(n["count"] for n in t["nodes"] if n["kind"] == k)
	for k in ("entry", "return")] + [sum(l["count"] for l in t["legs"])]'
for mechanism in int3 fast; do
	for how in 'later 5' 'race 3'; do
		# shellcheck disable=SC2086
		batch "set mechanism $mechanism" 'time outer_0?' \
			'time outer_1[0-6]' -- "$PROGRAMS/kin" $how
		made=$out
		[ "${how% *}" = race ] && made=$((made * 15 / 16))
		is "$(json "$sums")" "$made $made $made" \
			"$mechanism, $how: all calls of all processes are timed to their end"
		is "$status" 0 "$mechanism, $how: all processes end with status 0"
	done
done

# The tool learns of a fork only after the fork. Breakpoints that were put into
# the parent in between are missing in the child. This depends on the moment;
# one run in three has such a child.
harmed=0
for _ in {1..10}; do
	batch 'time outer_0?' 'time outer_1[0-6]' -- "$PROGRAMS/kin" race 1
	if [ "$status" != 0 ] || [[ $err == *'hits meanwhile'* ]]; then
		harmed=$((harmed + 1))
	fi
done
is "$harmed" 0 'a child has the breakpoints that the parent got during the fork'

# ---- a jump to the function's own first instruction ----

cat >spin.c <<'END'
volatile long sum;
__attribute__((noipa)) void spin(long n)
{
	do
		sum++;
	while (--n);
}
__attribute__((noipa)) void once(long n)
{
	sum += n;
}
int main(void)
{
	for (int i = 0; i < 100; i++) {
		spin(5);
		once(5);
	}
	return 0;
}
END
gcc -O2 spin.c -o spin
loop='spin jumps to its own first instruction, in a loop or to call itself'
for command in 'time spin' 'break entry spin' 'break exit spin' 'break return spin' \
	'profile calls spin'; do
	try perftool -q -n -e "$command" ./spin
	is "$(grep -c "$loop" <<<"$err")" 1 "$command says that rounds of a loop count as calls"
	try perftool -q -n -e "${command/spin/once}" ./spin
	unlike "$err" 'first instruction' "${command/spin/once}: no loop begins there"
done
times spin once -- ./spin
is "$(json 'time("spin")["count"], time("once")["count"]')" '500 100' \
	'each round counts as a call'
batch 'break calls spin in main if 1' 'collect nodes' -- ./spin
is "$(json 'node(1)["count"]')" 100 'calls from another function can be counted'

# ---- functions that never return ----

cat >foreign.c <<'END'
/* Functions as GHC (Haskell) makes them: they never return, have a stack of
 * their own in rbp, and keep a table in front of each address that they go on
 * at. The first byte of the table of `after` would be a `ret`. */
#include <stdio.h>
#include <string.h>

__asm__(".text\n"
	".type step, @function\n"
	".globl step\n"
	"step:	sub	$8, %rbp\n"
	"	lea	after(%rip), %rax\n"
	"	mov	%rax, (%rbp)\n"
	"	lea	thunk(%rip), %rbx\n"
	"	jmp	*(%rbx)\n"
	".balign 8\n"
	".globl table\n"
	"table:	.quad	0xc2\n"
	"	.long	30, 0xce310\n"
	"after:	add	$8, %rbp\n"
	"	add	$1, %r14\n"
	"	dec	%r12\n"
	"	jnz	step\n"
	"	jmp	*(%rbp)\n"
	".size step, . - step\n"
	".type value, @function\n"
	"value:	jmp	*(%rbp)\n"
	".size value, . - value\n"
	".type direct, @function\n"
	".globl direct\n"
	"direct:	jmp	step\n"
	".size direct, . - direct\n"
	/* long run(long n): the frame of all of it */
	".type run, @function\n"
	".globl run\n"
	"run:	push	%rbp\n"
	"	push	%rbx\n"
	"	push	%r12\n"
	"	push	%r14\n"
	"	mov	%rdi, %r12\n"
	"	xor	%r14d, %r14d\n"
	"	lea	bottom(%rip), %rbp\n"
	"	jmp	direct\n"
	"end:	mov	%r14, %rax\n"
	"	pop	%r14\n"
	"	pop	%r12\n"
	"	pop	%rbx\n"
	"	pop	%rbp\n"
	"	ret\n"
	".size run, . - run\n"
	".data\n"
	"thunk:	.quad	value\n"
	"	.zero	1024\n"
	"bottom:	.quad	end\n"
	".text\n");
long run(long n);
extern const unsigned char table[];

int main(void)
{
	const unsigned char expected[] = {0xc2, 0, 0, 0, 0, 0, 0, 0,
					  30, 0, 0, 0, 0x10, 0xe3, 0x0c, 0};
	long steps = 0, harm = 0;

	for (int i = 0; i < 100; i++) {
		steps += run(10);
		harm += memcmp(table, expected, sizeof(expected)) != 0;
	}
	printf("%ld steps, %ld times another table\n", steps, harm);
	return 0;
}
END
gcc -g -O1 foreign.c -o foreign
for mechanism in fast int3; do
	batch "set mechanism $mechanism" 'time step' 'time value' 'time direct' \
		'time run' -- ./foreign
	is "$out" '1000 steps, 0 times another table' \
		"$mechanism: data between the code of a function is left alone"
	is "$(json '[node(n)["count"] for n in (1, 3, 5)], time("run")["count"]')" \
		'[1000, 1000, 100] 100' \
		"$mechanism: calls of functions that never return are counted"
	is "$(json 't["summary"]["followed"] < 500')" True \
		"$mechanism: and are not followed"
	like "$err" 'step leaves its frame as code of Haskell does' \
		"$mechanism: a function that never returns is named"
	like "$err" 'direct jumps to step, which leaves its frame as code of Haskell' \
		"$mechanism: so is one that goes on in such a function"
done

# ---- a glob for the module ----

batch 'time malloc@libc.so.6' 'time malloc@libc.so*' -- "$PROGRAMS/values"
is "$(json 'len(t["legs"])')" 2 'a glob names a module in FUNC@MODULE'
is "$(json 't["legs"][0]["count"] == t["legs"][1]["count"] > 0')" True \
	'a glob for a module counts the same calls as the name'
batch 'break entry malloc@libx*' -- "$PROGRAMS/values"
like "$err" 'malloc@libx\* was never found: no module libx\* is loaded' \
	'a glob that names no module gets a message'

# A glob that names exactly one function of the program does not include
# functions of libraries that are loaded later.
times 'targ*t' -- "$PROGRAMS/returns"
is "$(json 'node(1)["location"]')" 'target@returns' \
	'a glob that names one function does not take functions of libraries'

# ---- names from Rust ----

times 'inner*' r::outer -- "$PROGRAMS/rust"
is "$(json 'sorted(n["location"] for n in t["nodes"] if n["kind"] == "entry")')" \
	'r::inner::h8768f3789d3406c3@rust r::inner::hd086ca50e563ab30@rust r::outer' \
	'instances of a generic function are told apart by their hash'
is "$(json '[l["count"] for l in t["legs"]]')" '10 20 10' 'each instance of a generic function is counted'
times 'inner::hd086ca50e563ab30' -- "$PROGRAMS/rust"
is "$(json 't["legs"][0]["count"]')" 20 'a name with a hash can be given to -t'
batch 'break entry r::inner if 1' -- "$PROGRAMS/rust"
is "$(json 'node(1)["count"]')" 30 'a name without the hash means all instances'

done_testing
