#!/usr/bin/env bash
# LeakSanitizer does not work in a program that is traced. The tool says so, and
# says how to turn LeakSanitizer off.
# tier: full
# covers: session/run
. "$(dirname "$0")/../lib.sh"

cat >leaks.c <<'END'
#include <stdio.h>
__attribute__((noinline)) int work(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}
int main(void)
{
	int n = 0;
	for (int i = 0; i < 100; i++)
		n = work(n);
	printf("output %d\n", n);
	return 0;
}
END
# sanitized VARIABLE COMPILER OPTION...: builds the program with a sanitizer;
# VARIABLE is the variable that turns LeakSanitizer off
sanitized() {
	local variable=$1
	shift
	if ! "$@" -g -O1 leaks.c -o leaks 2>err; then
		fail "$*: the program compiles" "$(cat err)"
		return
	fi
	try perftool -q -n -t work -o t.txt ./leaks
	like "$err" "leaks has LeakSanitizer, .*\`env $variable=detect_leaks=0'" \
		"$*: a message says how to turn LeakSanitizer off"
	is "$(grep -c 'has LeakSanitizer' <<<"$err")" 1 \
		"$*: the message about LeakSanitizer comes once"
	try perftool -q -n -e "env $variable=detect_leaks=0" -b -e 'time work' -f json -o t.json ./leaks
	is "$status$out" '0output 100' \
		"$*: turned off as told, the program has its own output and status"
	is "$(json 'time("work")["count"]')" 100 \
		"$*: turned off as told, the program is measured"
	unlike "$err" LeakSanitizer "$*: turned off as told, no message comes"
	try env "$variable=verbosity=0" perftool -q -n -t work -o t.txt ./leaks
	like "$err" "env $variable=verbosity=0:detect_leaks=0" \
		"$*: the advice keeps the options that $variable has"
	try env "$variable=detect_leaks=0" perftool -q -n -t work -o t.txt ./leaks
	is "$status$out$err" '0output 100' "$*: turned off from outside, no message comes"
}
sanitized ASAN_OPTIONS gcc -fsanitize=address
sanitized ASAN_OPTIONS gcc -fsanitize=address -static-libasan
sanitized LSAN_OPTIONS gcc -fsanitize=leak
if clang -fsanitize=address -x c -o clang-asan - <<<'int main(void) { return 0; }' 2>err; then
	sanitized ASAN_OPTIONS clang -fsanitize=address
	sanitized LSAN_OPTIONS clang -fsanitize=leak
else
	diag <<<'this clang has no sanitizers'
fi
gcc -g -O1 leaks.c -o leaks
try perftool -q -n -t work -o t.txt ./leaks
is "$status$out$err" '0output 100' 'without a sanitizer no message comes'
done_testing
