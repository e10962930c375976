#!/usr/bin/env bash
# The messages about places and conditions without hits.
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library

cat >plug.c <<'END'
int plug_work(int n)
{
	volatile int kept = n;

	return kept;
}
END
cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>

#define LIMIT 3
#define N 4

int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		int (*work)(int) = (int (*)(int))dlsym(library, "plug_work");

		for (int j = 0; j < 7; j++)
			sum += work(j) + LIMIT + N;
	}
	printf("%d\n", sum);
	return 0;
}
END
gcc -g -O1 -shared -fPIC plug.c -o plug.so
cp plug.so second.so
gcc -O1 -shared -fPIC plug.c -o bare.so
gcc -g -O1 host.c -o host

# ---- names that another program has ----
cat >clk.c <<'END'
int main(void) { return 0; }
END
sed 's/.*main.*/int handle(int n);\n&/; s/return 0/return handle(1)/' clk.c >my.c
echo '__attribute__((noinline)) int handle(int n) { return n - 1; }' >>my.c
gcc -g -O1 clk.c -o clk
gcc -g -O1 my.c -o my
gone='handle was never found: no function handle in clk'
try perftool --pending -n -q -e 'break entry handle if 1' -e 'break exit handle if 1' \
	-e 'monitor on' -e run -e 'file ./clk' -e run ./my
is "$(grep -o "$gone\|.*reached.*" <<<"$err")" "$gone" 'counted in one program, not found in the next'
try perftool --pending -n -q -e 'break handle' -e 'break exit handle' -e run -e kill \
	-e 'file ./clk' -e run -e 'list breaks' ./my
like "$err" "(^|"$'\n'")$gone" 'stopped at in one program, not found in the next'
unlike "$err" 'never reached' 'it was not there to be reached'
like "$out" 'pending: no function handle in clk' 'list breaks says the same'
try perftool --pending -n -q -e 'time handle' -e run -e 'file ./clk' -e run \
	-e 'file ./my' -e run ./my
is "$(grep -c "$gone" <<<"$err") $(wc -l <<<"$err")" '1 1' 'and found again in the first'
try perftool --pending -n -q -e 'time plug_work' -e 'run ./plug.so' -e run ./host
is "$err" '' 'a library that came in one run of a program'

# ---- conditions that were never true ----

try perftool --pending -n -b -e 'set mechanism int3' -e 'break plug_work if n > 100' \
	./host ./plug.so
like "$err" 'plug_work was reached 7 times, but n > 100 was never true' \
	'a place that was reached, but not so'
unlike "$err" 'never reached' 'is not one that was never reached'
try perftool --pending -n -b -e 'set mechanism fast' -e 'break plug_work if n > 100' \
	./host ./plug.so
like "$err" 'plug_work was never reached with n > 100' \
	'a fast node does not count that'
try perftool --pending -n -b -e 'break host.c:15 if argc > 9' ./host
like "$err" 'host.c:15 was never reached' 'one that was not reached at all'
try perftool --pending -n -b -e 'break plug_work if n == 3' -e 'break main if argc > 0' \
	./host ./plug.so
unlike "$err" 'never' 'nothing is said of one that has counted'
try perftool --pending -n -q -e 'break plug_work if n > 100' -e run -e 'list breaks' \
	-e 'condition 1 n > 200' -e 'list breaks' ./host ./plug.so
is "$(grep plug_work <<<"$out" | grep -v 0x | sed 's/, plug.c:[0-9]*//; s/, int3.*//')" \
	'   1  plug_work if n > 100, its condition false 7 times
   1  plug_work if n > 200' 'list breaks says it, of this condition'

# ---- wrong names in libraries that are loaded later ----

try perftool --pending -n -b -e 'break plug_work if nn > 3' ./host ./plug.so ./second.so
is "$(grep -c "breakpoint 1 (plug_work): column 1: there is no variable here that is called 'nn'; is 'n' what was meant?" <<<"$err")" \
	1 'a wrong name is told, once'
unlike "$err" 'never counted|never reached' 'and not again in the end'
like "$(head -n 3 <<<"$err")" 'nn' 'when the library is there'
try perftool --pending -n -b -e 'break plug_work if 1' -e 'add histogram node 1 log value=nn' \
	./host ./plug.so
is "$(grep -c "^breakpoint 1 (plug_work): .* called 'nn'" <<<"$err")" 1 \
	'so is that of a value'
try perftool --pending -n -b -e 'break plug_work if n > 3' ./host ./bare.so ./plug.so
is "$(grep -c 'breakpoint 1' <<<"$err")" 1 \
	'a library without debug information is one where nothing is called so'
like "$out$err" 'plug_work' 'and the next may have it'

# ---- macros ----

fails_with 125 "no variable here that is called 'LIMIT'; if it is a macro, write its value" \
	'a macro' perftool --pending -n -q -b -e 'break main if argc > LIMIT' ./host
fails_with 125 "no variable here that is called 'N'\$" \
	'one letter is not told' perftool --pending -n -q -b -e 'break main if argc > N' \
	./host

# ---- list source without lines ----

printf '%s\n' 'break plug_work' run 'list source' |
	perftool --pending -n -q ./host ./bare.so >out 2>err
like "$(cat err)" 'no line information for plug_work \(\) in bare.so' \
	'list source says of which function there is none'
printf '%s\n' 'break plug_work' run 'frame 1' 'list source' kill |
	perftool --pending -n -q ./host ./bare.so >out 2>err
like "$(cat out)" '=>[ *]+16[[:space:]]+sum \+= work' 'and has those of its caller'
strip bare.so -o stripped.so
at=$(nm -D bare.so | sed -n 's/^0*\([0-9a-f]*\) . plug_work$/0x\1/p')
printf '%s\n' "break *$at@bare.so" run 'list source' kill |
	perftool --pending -n -q ./host ./bare.so 2>&1 >/dev/null | grep -c bare.so >out
is "$(cat out)" 1 'by its address, too'
done_testing
