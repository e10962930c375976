#!/usr/bin/env bash
# What `evaluate` writes is what gdb's `print` writes of the same process, in C
# and C++, by two compilers at four levels of optimization: gdb_print.py says how.
. "$(dirname "$0")/../lib.sh"

python3 "$ROOT/tests/e2e/gdb_print.py" "$SCRATCH" \
	"$ROOT/tests/programs/shapes.c" "$ROOT/tests/programs/classes.cc" \
	"$ROOT/tests/programs/figures.rs"
