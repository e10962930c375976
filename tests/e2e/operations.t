#!/usr/bin/env bash
# The operations by two ways in, a socket and the library: the results are the
# same (tests/e2e/operations.py).
# tier: core
# covers: operations serve/wire library
. "$(dirname "$0")/../lib.sh"

export PYTHONPATH=$ROOT/tests:$ROOT/src/library/python
export LIBPERFTOOL=$BUILD/libperftool.so.0
# SAN=1: python3 itself is not sanitized, and needs the runtime of the library.
runtime=()
[[ ${BUILD##*/} != build-san* ]] ||
	runtime=(env LD_PRELOAD="$(gcc -print-file-name=libasan.so)"
		ASAN_OPTIONS=detect_leaks=0)

"${runtime[@]}" "$PROGRAMS/within" 300 /usr/bin/python3 "$ROOT/tests/e2e/operations.py" \
	"$BUILD/perftool" "$PROGRAMS/marked" "$PWD" >checks 2>errors
is "$?" 0 'the front end ends by itself'
is "$(cat errors)" '' 'and has met no exception'
tried=
while read -r word name; do
	case $word in
	pass) pass "$name" ;;
	tried) tried=$name ;;
	*) fail "${name%%: *}" "$name" ;;
	esac
done <checks
is "$tried" \
	"$(sed -n 's/^### \([A-Z]*\)$/\L\1/p' "$ROOT/doc/PROTOCOL.md" | sort | xargs)" \
	'every operation of doc/PROTOCOL.md was compared'
done_testing
