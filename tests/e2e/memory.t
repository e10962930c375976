#!/usr/bin/env bash
# If the tool runs out of memory, it says so in one line and ends with status
# 125.
# tier: full
# covers: base
. "$(dirname "$0")/../lib.sh"

# An address sanitizer needs terabytes of address space for itself, so that such
# a build runs without a limit here.
limits=$(seq 16000 4000 120000)
nm "$BUILD/perftool" | grep -q __asan_init && limits=unlimited

refused=0 wrong=
for limit in $limits; do
	# shellcheck disable=SC2016 # for the inner shell
	try sh -c 'ulimit -v "$1"; shift; exec "$@"' sh "$limit" \
		perftool -q -n -t merge "$SAMPLES/sort"
	case $status in
	0 | 127) ;; # (127: so little that the program's libc cannot be loaded)
	125)
		refused=$((refused + 1))
		[[ $(tail -n 1 <<<"$err") =~ ^perftool:\ .*(memory|allocate) ]] ||
			wrong+="$limit: $err"$'\n'
		;;
	*) wrong+="$limit: status $status $err"$'\n' ;;
	esac
done
is "$wrong" '' 'with any limit, perftool works or says that memory is lacking'
[ "$limits" = unlimited ] ||
	ok "some limits are too low ($refused)" [ "$refused" -gt 0 ]

done_testing
