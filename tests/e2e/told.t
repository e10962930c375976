#!/usr/bin/env bash
# The messages about places and conditions without hits.
# tier: core
# covers: probe/request session/requests
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
is "$(grep -o "$gone\|.*reached.*" <<<"$err")" "$gone" 'break entry: a function found in one program, not in the next, is told'
try perftool --pending -n -q -e 'break handle' -e 'break exit handle' -e run -e kill \
	-e 'file ./clk' -e run -e 'list breaks' ./my
like "$err" "(^|"$'\n'")$gone" 'break: a function found in one program, not in the next, is told'
unlike "$err" 'never reached' 'a function that was not found is not called never reached'
like "$out" 'pending: no function handle in clk' 'list breaks has the function that was not found as pending'
try perftool --pending -n -q -e 'time handle' -e run -e 'file ./clk' -e run \
	-e 'file ./my' -e run ./my
is "$(grep -c "$gone" <<<"$err") $(wc -l <<<"$err")" '1 1' 'a function that only the second of three programs lacks is told once'
try perftool --pending -n -q -e 'time plug_work' -e 'run ./plug.so' -e run ./host
is "$err" '' 'a library that came in one run of a program gets no message'

# ---- conditions that were never true ----

try perftool --pending -n -b -e 'set mechanism int3' -e 'break plug_work if n > 100' \
	./host ./plug.so
like "$err" 'plug_work was reached 7 times, but n > 100 was never true' \
	'int3: a condition that was never true is told with the hits'
unlike "$err" 'never reached' 'int3: a place with a false condition is not called never reached'
try perftool --pending -n -b -e 'set mechanism fast' -e 'break plug_work if n > 100' \
	./host ./plug.so
like "$err" 'plug_work was never reached with n > 100' \
	'fast: a condition that was never true is told without a count'
try perftool --pending -n -b -e 'break host.c:15 if argc > 9' ./host
like "$err" 'host.c:15 was never reached' 'a place that was never reached is told'
try perftool --pending -n -b -e 'break plug_work if n == 3' -e 'break main if argc > 0' \
	./host ./plug.so
unlike "$err" 'never' 'a breakpoint that has counted gets no message'
try perftool --pending -n -q -e 'break plug_work if n > 100' -e run -e 'list breaks' \
	-e 'condition 1 n > 200' -e 'list breaks' ./host ./plug.so
is "$(grep plug_work <<<"$out" | grep -v 0x | sed 's/, plug.c:[0-9]*//; s/, int3.*//')" \
	'   1  plug_work if n > 100, its condition false 7 times
   1  plug_work if n > 200' 'list breaks counts how often the present condition was false'

# ---- wrong names in libraries that are loaded later ----

try perftool --pending -n -b -e 'break plug_work if nn > 3' ./host ./plug.so ./second.so
is "$(grep -c "breakpoint 1 (plug_work): column 1: there is no variable here that is called 'nn'; is 'n' what was meant?" <<<"$err")" \
	1 'a wrong name in a condition is told once for two libraries'
unlike "$err" 'never counted|never reached' 'a wrong name in a condition is not told again at the end'
like "$(head -n 3 <<<"$err")" 'nn' 'a wrong name in a condition is told when the library is loaded'
try perftool --pending -n -b -e 'break plug_work if 1' -e 'add histogram node 1 log value=nn' \
	./host ./plug.so
is "$(grep -c "^breakpoint 1 (plug_work): .* called 'nn'" <<<"$err")" 1 \
	'a wrong name in the value of a histogram is told once'
try perftool --pending -n -b -e 'break plug_work if n > 3' ./host ./bare.so ./plug.so
is "$(grep -c 'breakpoint 1' <<<"$err")" 1 \
	'a name that a library without debug information lacks is told once'
like "$out$err" 'plug_work' 'a name that one library lacks is used in the next library'

# ---- macros ----

fails_with 125 "no variable here that is called 'LIMIT'; if it is a macro, write its value" \
	'an unknown name in capitals: the message suggests a macro' perftool --pending -n -q -b -e 'break main if argc > LIMIT' ./host
fails_with 125 "no variable here that is called 'N'\$" \
	'an unknown name of one capital: the message suggests no macro' perftool --pending -n -q -b -e 'break main if argc > N' \
	./host

# ---- list source without lines ----

printf '%s\n' 'break plug_work' run 'list source' |
	perftool --pending -n -q ./host ./bare.so >out 2>err
like "$(cat err)" 'no line information for plug_work \(\) in bare.so' \
	'list source names the function that has no line information'
printf '%s\n' 'break plug_work' run 'frame 1' 'list source' kill |
	perftool --pending -n -q ./host ./bare.so >out 2>err
like "$(cat out)" '=>[ *]+16[[:space:]]+sum \+= work' 'list source shows the lines of the caller'
strip bare.so -o stripped.so
at=$(nm -D bare.so | sed -n 's/^0*\([0-9a-f]*\) . plug_work$/0x\1/p')
printf '%s\n' "break *$at@bare.so" run 'list source' kill |
	perftool --pending -n -q ./host ./bare.so 2>&1 >/dev/null | grep -c bare.so >out
is "$(cat out)" 1 'list source names the module of an address without lines'
done_testing
