#!/usr/bin/env bash
# Debug information in a file of its own, in every place where this file may be.
# tier: full
# covers: debuginfo/elf
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library

cat >work.c <<'END'
#include <stdio.h>

static int work(int n)
{
	return n * 3; /* here */
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += work(i);
	printf("%d\n", sum);
	return 0;
}
END

# build OUT [FLAG...]: builds OUT, which is stripped, and OUT.debug
build() {
	local out=$1
	shift
	gcc -g -O0 "$@" work.c -o "$out.full" &&
		objcopy --only-keep-debug "$out.full" "$out.debug" &&
		strip -o "$out" "$out.full"
}

# modules PROGRAM [OPTION...]: prints what `list modules` says of the program
modules() {
	local program=$1
	shift
	perftool -n "$@" -b -e 'list modules' -e 'kill' "$program" 2>&1 |
		sed -n '2s/^ *//p'
}

# count ARGUMENT...: prints how often the line was reached with n above 3
count() {
	perftool -n -q -b -f json -o report.json -e 'monitor on' \
		-e 'break work.c:5 if n > 3' "$@" >/dev/null 2>log
	/usr/bin/python3 -c 'import json
print(json.load(open("report.json"))["nodes"][0]["count"])' 2>&1 | tail -n 1
	rm -f report.json
}

build known
build linked -Wl,--build-id=none
objcopy --add-gnu-debuglink=linked.debug linked
id=$(readelf -n known | sed -n 's/.*Build ID: //p')

is "$(modules ./known.full)" 'debug information (DWARF 5)' 'debug information is found in the file itself'
is "$(modules ./linked)" \
	"debug information (DWARF 5) in $PWD/linked.debug" \
	'.gnu_debuglink: the file is found beside the program'
is "$(count ./linked)" 6 '.gnu_debuglink: a condition uses a line and a local variable'

mkdir -p .debug && mv linked.debug .debug/
is "$(modules ./linked)" \
	"debug information (DWARF 5) in $PWD/.debug/linked.debug" \
	'.gnu_debuglink: the file is found in .debug'

mkdir -p tree"$PWD" flat && mv .debug/linked.debug tree"$PWD"/
is "$(modules ./linked)" 'exported names only, no debug information' \
	'.gnu_debuglink: list modules says that there is no debug information'
is "$(modules ./linked --debuginfo tree)" \
	"debug information (DWARF 5) in tree$PWD/linked.debug" \
	'.gnu_debuglink: the file is found in the tree of --debuginfo'
mv tree"$PWD"/linked.debug flat/
is "$(modules ./linked --debuginfo tree --debuginfo flat)" \
	'debug information (DWARF 5) in flat/linked.debug' \
	'.gnu_debuglink: the file is found in the second --debuginfo directory'

echo >>flat/linked.debug
is "$(modules ./linked --debuginfo flat)" \
	'exported names only, no debug information (flat/linked.debug is of another build)' \
	'.gnu_debuglink: a file with a wrong checksum is refused, and named'
: >flat/linked.debug
is "$(modules ./linked --debuginfo flat)" \
	'exported names only, no debug information' '.gnu_debuglink: an empty file counts as no debug information'

mkdir -p ids/.build-id/"${id:0:2}"
mv known.debug "ids/.build-id/${id:0:2}/${id:2}.debug"
is "$(modules ./known)" 'exported names only, no debug information' \
	'build id: list modules says that there is no debug information'
is "$(modules ./known --debuginfo ids)" \
	"debug information (DWARF 5) in ids/.build-id/${id:0:2}/${id:2}.debug" \
	'build id: the file is found under .build-id of --debuginfo'
is "$(count --debuginfo ids ./known)" 6 'build id: a condition uses a line and a local variable'

printf '%s\n' 'debuginfo ids' 'break work.c:5' 'run' 'evaluate n' 'kill' |
	perftool -n -q ./known >out 2>log
is "$(cat out)" '0' 'debuginfo DIR works for a program that was named before'
printf '%s\n' 'break work.c:5' | perftool -n --pending ./known >out 2>&1
is "$(head -n 1 out)" \
	'Breakpoint #1: work.c:5 (pending: no code for work.c:5 in known, libc.so.6, ld-linux-x86-64.so.2; known: exported names only, no debug information).' \
	'a pending line tells that the program has no debug information'
perftool -n -b --debuginfo nowhere ./known >out 2>log
is "$? $(cat log)" '125 perftool: nowhere: No such file or directory' \
	'--debuginfo with a directory that does not exist is an error'

mkdir -p "$HOME/.cache/debuginfod_client/$id"
cp "ids/.build-id/${id:0:2}/${id:2}.debug" \
	"$HOME/.cache/debuginfod_client/$id/debuginfo"
is "$(modules ./known)" \
	"debug information (DWARF 5) in $HOME/.cache/debuginfod_client/$id/debuginfo" \
	"build id: the file is found in debuginfod's cache"

cp "ids/.build-id/${id:0:2}/${id:2}.debug" flat/known.debug
rm -r "$HOME/.cache"
is "$(modules ./known --debuginfo flat)" \
	'debug information (DWARF 5) in flat/known.debug' \
	"build id: a file with the program's name and build id is found"
gcc -g -O2 work.c -o other
objcopy --only-keep-debug other flat/known.debug
is "$(modules ./known --debuginfo flat)" \
	'exported names only, no debug information (flat/known.debug is of another build)' \
	'build id: a file with another build id is refused, and named'

for how in zlib zlib-gnu zlib-gabi; do
	objcopy --compress-debug-sections="$how" known.full "$how"
	is "$(count "./$how")" 6 "debug information compressed by $how is read"
done

# if libelf cannot uncompress the information, the tool says so
objcopy --compress-debug-sections=zstd known.full zstd
said=$(modules ./zstd)
case $said in
'debug information (DWARF 5)') is "$(count ./zstd)" 6 'debug information compressed by zstd is read' ;;
*) is "$said" 'debug information that cannot be read (damaged, or compressed in a way that libelf does not know)' \
	'debug information that libelf cannot uncompress is reported' ;;
esac

# The file has no section headers at all. The tool still finds the tables that
# the code itself needs.
gcc -O1 -fno-inline -no-pie work.c -o bare
address=0x$(nm bare | sed -n 's/ t work$//p')
strip bare
/usr/bin/python3 - <<'END'
file = open("bare", "r+b")
file.seek(0x28)
file.write(bytes(8))
file.seek(0x3a)
file.write(bytes(6))
END
is "$(modules ./bare)" 'exported names only, no debug information' \
	'a file without section headers: exported names are found'
printf '%s\n' "break *$address" 'run' 'where' 'evaluate $arg1' 'kill' |
	perftool -n -q ./bare 2>&1 | sed 's/0x[0-9a-f]*/ADDRESS/' >out
is "$(sed -n '1,2p; 3s/ADDRESS in //p; $p' out | sed 's/ (.*//')" \
	'#0   ADDRESS in ?? in bare
#1   ADDRESS in ?? in bare
#2   __libc_start_call_main
0' 'a file without section headers: where and $arg1 work'

package=$(dpkg -S "$(realpath "$(command -v sort)")" | cut -d: -f1)
is "$(modules "$(command -v sort)")" \
	"exported names only, no debug information; Debian's package $package-dbgsym has it" \
	'list modules names the package that has the debug information'
done_testing
