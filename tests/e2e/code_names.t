#!/usr/bin/env bash
# The names of code that no symbol of a file tells: the vdso, and the entries of
# a procedure linkage table.
# tier: full
# covers: debuginfo/symbols probe/process
. "$(dirname "$0")/../lib.sh"

# ---- the vdso -----------------------------------------------------------------

# Prints the functions of the vdso that have ticks in a saved profile.
vdso_of() {
	/usr/bin/python3 - "$1" <<-'END'
		import json, sys
		leaves = [s["stack"][0] for s in json.load(open(sys.argv[1]))["samples"]
		          if s["stack"]]
		print(*{f["function"] for f in leaves if f["module"] == "[vdso]"}, sep="\n")
	END
}
# Prints how many ticks below main() are in no file. (Before main(), a tick may be in
# a library that the run-time linker has not reported yet.)
nowhere_in() {
	/usr/bin/python3 - "$1" <<-'END'
		import json, sys
		stacks = [s["stack"] for s in json.load(open(sys.argv[1]))["samples"]]
		print(sum(1 for stack in stacks
		          if any(f["function"] == "main" for f in stack)
		          and any(f["module"] is None for f in stack)))
	END
}
try perftool -q -n -b -e 'spy rate 497' -e 'spy on' -e run \
	-e 'save profile v.json' -e 'save profile v.folded' "$PROGRAMS/clocked"
is "$out" 'done' 'the program works'
is "$(vdso_of v.json | grep -x '__vdso_clock_gettime')" '__vdso_clock_gettime' \
	'a function of the vdso has its name and its module'
is "$(nowhere_in v.json) $(grep -c 'main;.*no file' v.folded)" '0 0' \
	'no code that main() calls is in no file'
like "$(<v.folded)" 'main;.*__vdso_clock_gettime ' \
	'its callers are known'

# two processes, which have the vdso at different addresses
try perftool -q -n -b -e 'spy rate 497' -e 'spy on' -e run \
	-e 'save profile two.json' -- /bin/sh -c \
	"$PROGRAMS/clocked 10000; $PROGRAMS/clocked 10000; :"
is "$(vdso_of two.json | grep -cx '__vdso_clock_gettime')" 1 \
	'it is one procedure in several processes'

try perftool top --for 1s "$PROGRAMS/clocked" 1000000
like "$out$err" '__vdso_clock_gettime' 'top shows the function'
unlike "$out$err" 'time [^ ]*vdso' 'top offers no command for it, which would fail'

# ---- entries of a procedure linkage table ---------------------------------------

cat > stubs.c <<'END'
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	for (int i = 0; i < 5; i++)
		free(strdup(argv[argc - 1]));
	return 0;
}
END
# The disassembler says where the entries are that the program calls.
while read -r name flags; do
	# shellcheck disable=SC2086 # flags are words
	gcc -O1 -fno-builtin $flags stubs.c -o stubs
	strip stubs
	disassembly=$(objdump -d stubs)
	breaks=()
	for function in strdup free; do
		address=$(sed -n "s/^0*\([0-9a-f]*\) <$function@plt>:\$/\1/p" <<<"$disassembly")
		breaks+=(-e "spy break *0x$address@stubs")
	done
	try perftool -q -n -b -e 'spy watch breaks' "${breaks[@]}" -e 'spy on' -e run \
		-e 'save profile p.folded' ./stubs
	is "$(sed 's/.*;//' p.folded | sort)" $'free@plt 5\nstrdup@plt 5' \
		"$name: each entry is a procedure with the disassembler's name"
done <<'END'
usual
lazy -Wl,-z,lazy
now -Wl,-z,now
branches -fcf-protection=full -Wl,-z,ibtplt
fixed -fno-pie -no-pie
END
try perftool -q -n -b -e 'time strdup@plt@stubs' -e run -e 'save tables t.json' ./stubs
is "$status" 0 'the name is one that time accepts'

# ---- code between functions -----------------------------------------------------

# A function in assembly, which has no call frame information, between two that
# have it. The symbol table says where it is, and is then removed.
cat > between.c <<'END'
long bare(long n);
__attribute__((noinline, noclone)) long before(long n)
{
	return bare(n) + 1;
}
__asm__(".text\n.p2align 4\n.type bare, @function\nbare:\n"
	"	lea 3(%rdi), %rax\n	ret\n.size bare, . - bare\n");
__attribute__((noinline, noclone)) long behind(long n)
{
	return before(n) + 1;
}
int main(void)
{
	for (int i = 0; i < 5; i++)
		if (behind(i) != i + 5)
			return 1;
	return 0;
}
END
gcc -O1 -fno-toplevel-reorder -fno-optimize-sibling-calls between.c -o between
address=$(nm between | sed -n 's/^0*\([0-9a-f]*\) . bare$/\1/p')
strip between
try perftool -q -n -b -e 'spy watch breaks' -e "spy break *0x$address@between" \
	-e 'spy on' -e run -e 'save profile b.folded' ./between
is "$status" 0 'the stripped program works'
is "$(sed 's/.*;//' b.folded)" "between+0x$address 5" \
	'code between functions is called by the address at which it begins'

done_testing
