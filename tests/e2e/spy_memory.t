#!/usr/bin/env bash
# The Spy watches memory: allocations, their words, and mappings. Two programs
# know what is true.
# tier: core
# covers: session/profiling probe/request
. "$(dirname "$0")/../lib.sh"

# spy WATCH MECHANISM PROGRAM [ARG...]: leaves the display in d.txt
spy() {
	local watch=$1 mechanism=$2

	shift 2
	rm -f d.txt
	try perftool -q -n -b -e "set mechanism $mechanism" \
		-e "spy watch $watch" -e 'spy on' -e run \
		-e 'spy display min=0 minson=0 > d.txt' "$@"
	[ "$status" = 0 ] || diag <<<"$err"
}

# count NAME: the counts of the procedure and of what it called
count() {
	awk -v name="$1" 'sub(/.*Procedure ~?/, "") && $1 == name {
		gsub(/,/, ""); sum += $5 + $6 } END { print sum + 0 }' d.txt
}

# changes NAME: what the columns have for the procedure: created, deleted, grown
# and shrunk
changes() {
	awk -v name="$1" '{ columns = $1 " " $2 " " $4 " " $5 }
		sub(/.*Procedure ~?/, "") && $1 == name { found = columns }
		END { print found ? found : "0 0 0 0" }' d.txt
}

for mechanism in int3 auto; do
	for watch in allocations words; do
		spy $watch $mechanism "$PROGRAMS/allocates"
		while read -r name number words; do
			[ $watch = allocations ] || number=$words
			is "$(count "$name")" "$number" \
				"$mechanism: $watch of $name"
		done <<<"$out"
		ok "$mechanism: $watch: the program has told what is true" \
			[ "$(wc -l <<<"$out")" -gt 3 ]
	done
done
like "$(cat d.txt)" $'The Spy itself took .*;\n  threads stood still for ' \
	'the heading has the time of the stops at allocations'
like "$(cat d.txt)" 'Samples lost: +0' 'no sample is lost'

like "$(cat d.txt)" 'allocates.cc:[0-9]+\) operator new(@[^ ]+)? = 30 ' \
	'operator new is the innermost frame of what it allocates'
unlike "$(grep -A2 'Procedure operator new[ @]' d.txt)" 'malloc' \
	'and the malloc in it is no other allocation'

# Threads tell by a jump that they return from memset() while only the leg waits
# for that. The Spy reads their stacks there.
try perftool -q -n -b -e 'set mechanism fast' -t calloc -e 'spy watch allocations' \
	-e 'break by_realloc' -e run -e 'spy on' -e continue \
	-e 'spy display min=0 minson=0 > d.txt' "$PROGRAMS/allocates"
is "$(count by_many_alignments)" 250 'the Spy may come on in the middle'
try perftool -q -n -b -t calloc -e 'spy watch allocations' -e 'spy on' -e run \
	-e 'spy display min=0 minson=0 > d.txt' -e 'set format json' \
	-e 'print tables > t.json' "$PROGRAMS/allocates"
is "$(count by_clearing)" 200 'the Spy counts what a leg measures, too'
is "$(json "time('calloc')['count'] >= 205")" True 'and so does the leg'

# A function that is called as an allocator, but that goes on where no function is
# known: the Spy does not see the end of these calls.
cat >unseen.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
void *code;
__asm__(".globl valloc\n.type valloc, @function\n"
	"valloc: .cfi_startproc\n jmp *code(%rip)\n .cfi_endproc\n"
	".size valloc, . - valloc\n");
static void *volatile kept;
__attribute__((noipa)) static void unseen(void)
{
	for (int i = 0; i < 50; i++)
		kept = valloc(8);
	__asm__ volatile("" ::: "memory");
}
int main(void)
{
	/* mov $64, %eax; ret */
	static const unsigned char bytes[] = {0xb8, 64, 0, 0, 0, 0xc3};
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(code, bytes, sizeof(bytes));
	unseen();
	kept = malloc(8);
	return 0;
}
END
gcc -O1 -g unseen.c -o unseen || exit 1
spy allocations auto ./unseen
like "$(cat d.txt)" 'Counts: +1 allocation,' 'calls whose end is not seen are not counted'
like "$(cat d.txt)" 'Samples lost: +50' 'but they are counted as lost'

# The same as ltrace and a preloaded counter would have: a program of others.
cat >counter.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static unsigned long count;
void *malloc(size_t size)
{
	static void *(*next)(size_t);
	void *memory;
	if (!next)
		next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	memory = next(size);
	count += memory != NULL;
	return memory;
}
__attribute__((destructor)) static void tell(void)
{
	char path[] = "counted";
	FILE *file;
	unsigned long counted = count;
	if ((file = fopen(path, "w")))
		fprintf(file, "%lu\n", counted);
}
END
gcc -O1 -D_GNU_SOURCE -shared -fPIC counter.c -o counter.so -ldl || exit 1
seq 20000 | sort -R >numbers
try env LD_PRELOAD=./counter.so sort --parallel=1 -n numbers
spy allocations auto sort --parallel=1 -n numbers
near "$(awk 'sub(/.*Procedure ~?/, "") && $1 ~ /^malloc(@.*)?$/ {
	gsub(/,/, ""); sum += $5 + $6 } END { print sum + 0 }' d.txt)" \
	"$(cat counted)" 12 'malloc is called by sort as a preloaded counter says'

for mechanism in int3 auto; do
	spy spaces $mechanism "$PROGRAMS/mappings"
	while read -r name created deleted grown shrunk; do
		is "$(changes "$name")" "$created $deleted $grown $shrunk" \
			"$mechanism: mappings of $name"
	done <<<"$out"
	ok "$mechanism: mappings: the program has told what is true" \
		[ "$(wc -l <<<"$out")" -gt 3 ]
done
like "$(cat d.txt)" $'The Spy itself took .*;\n  threads stood still for ' \
	'the heading has the time of the stops at system calls'
# shellcheck disable=SC2016 # dollars are the language's
ok 'the only thread has not stood still for longer than was recorded' \
	awk -F '[(%]' '/threads stood still for/ { found = $2 <= 100 }
		END { exit !found }' d.txt
is "$(awk '/Procedure ~?leaky/ { print $3 }' d.txt)" 2 \
	'the column of what is left shows a leak'
is "$(awk '/^ .*Process / { print $1 - $2 - $3 }' d.txt)" 0 \
	'what is left is what was created and not deleted'

# One mapping that the C library has grown, of a thousand changes, lists none of
# its procedures.
cat >maps.c <<'END'
#include <stdlib.h>
#include <sys/mman.h>
__attribute__((noinline)) static void churn(void)
{
	for (int i = 0; i < 500; i++)
		munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0), 4096);
}
int main(void)
{
	churn();
	return malloc(100) == NULL;
}
END
gcc -g -O1 maps.c -o maps || exit 1
try perftool -q -n -b -e 'spy watch spaces' -e 'spy on' -e run \
	-e 'spy display > d.txt' ./maps
like "$(cat d.txt)" '^.*deleted +left +grown' 'a mapping was grown'
like "$(cat d.txt)" 'Procedure churn' 'what maps all the time is listed'
unlike "$(cat d.txt)" 'Procedure ~?(sysmalloc|brk|__sbrk)' \
	'the one brk of malloc lists no procedures of libc'

# All calls that strace has, too: dd maps and unmaps.
try strace -f -o calls -e trace=mmap,munmap dd if=/dev/zero of=/dev/null \
	bs=64k count=10
spy spaces auto dd if=/dev/zero of=/dev/null bs=64k count=10
is "$(awk '/^ .*Process / { print $1 }' d.txt)" \
	"$(grep -c '^[0-9 ]*mmap(.*) = 0x' calls)" \
	'the mappings of dd, as strace has them'

done_testing
