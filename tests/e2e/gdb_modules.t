#!/usr/bin/env bash
# The tool finds the same variables of other modules as gdb; gdb_modules.py
# describes the comparison.
# tier: full
# covers: expr/bind debuginfo/symbols
. "$(dirname "$0")/../lib.sh"

python3 "$ROOT/tests/e2e/gdb_modules.py" "$SCRATCH"
