#!/usr/bin/env bash
# perftool builds and measures without the folders of periphery.txt. Each of
# them is removed by deleting the folder and the lines that name it in a table.
# tier: core
# covers: expr session/inspect command/inspect operations/watch_memory
. "$(dirname "$0")/lib.sh"

# The copy has the objects of the build, so that make compiles only the files
# that change. The options are those of the build.
options=()
case ${BUILD##*/} in *-san*) options+=(SAN=1) ;; esac
mkdir -p "${BUILD##*/}"
cp -a "$ROOT/src" "$ROOT/include" "$ROOT/samples" "$ROOT/Makefile" .
cp -a "$BUILD/obj" "${BUILD##*/}"

# remove FOLDER [FILE TEXT]
remove() {
	ok "there is a folder $1" test -d "$1"
	rm -r "$1" "${BUILD##*/}/obj/${1#src/}"
	[ $# -eq 3 ] || return
	ok "$2 has a line with $3" grep -q -- "$3" "$2"
	sed -i "/$3/d" "$2"
}
while read -r -a words; do
	remove "${words[@]}"
done < <(grep -v '^#' "$ROOT/tests/periphery.txt")

LIMIT=200 try make -s SETUP=no "${options[@]}" "${BUILD##*/}/perftool"
is "$status" 0 "perftool builds without the folders of periphery.txt"
PATH=$PWD/${BUILD##*/}:$PATH

try perftool -b -e 'time fib' -e run -e 'print legs columns=name,count' \
	-- "$SAMPLES/recursion"
like "$out" 'fib .*3,540' "perftool without these folders counts the calls of a program"
fails_with 125 "unknown command" "perftool without these folders has no command that shows frames" \
	perftool -b -e where -- "$SAMPLES/recursion"
done_testing
