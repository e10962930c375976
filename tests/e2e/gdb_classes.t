#!/usr/bin/env bash
# As gdb_print.t, of what casts do between classes, of integers of 128 bits and
# other rare types, and of the containers of C++'s library.
. "$(dirname "$0")/../lib.sh"

python3 "$ROOT/tests/e2e/gdb_print.py" "$SCRATCH" \
	"$ROOT/tests/programs/casts.cc" "$ROOT/tests/programs/wide.c" \
	"$ROOT/tests/programs/containers.cc"
