#!/usr/bin/env bash
# Like gdb_print.t: casts between classes, integers of 128 bits and other rare
# types, and the containers of the C++ library.
# tier: full
# covers: expr/print expr/bind expr/containers debuginfo/types
. "$(dirname "$0")/../lib.sh"

python3 "$ROOT/tests/e2e/gdb_print.py" "$SCRATCH" \
	"$ROOT/tests/programs/casts.cc" "$ROOT/tests/programs/wide.c" \
	"$ROOT/tests/programs/containers.cc"
