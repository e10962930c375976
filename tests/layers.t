#!/usr/bin/env bash
# Every #include points the way the table of layers allows.
# tier: core
# covers: debuginfo expr probe report session command
if said=$("$(dirname "$0")/check-layers.sh" 2>&1); then
	echo "ok 1 - layers"
else
	echo "not ok 1 - layers"
	printf '%s\n' "$said" | sed 's/^/#   /'
fi
echo 1..1
