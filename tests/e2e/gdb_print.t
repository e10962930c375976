#!/usr/bin/env bash
# `evaluate` prints what `print` of gdb prints for the same process, in C and
# C++, with two compilers at four levels of optimization; gdb_print.py describes
# the comparison.
# tier: core full
# covers: expr debuginfo/variables debuginfo/types debuginfo/locations
. "$(dirname "$0")/../lib.sh"

python3 "$ROOT/tests/e2e/gdb_print.py" "$SCRATCH" \
	"$ROOT/tests/programs/shapes.c" "$ROOT/tests/programs/classes.cc" \
	"$ROOT/tests/programs/figures.rs"
