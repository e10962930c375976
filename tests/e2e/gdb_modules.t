#!/usr/bin/env bash
# Variables of other modules are those that gdb finds: gdb_modules.py says how.
. "$(dirname "$0")/../lib.sh"

python3 "$ROOT/tests/e2e/gdb_modules.py" "$SCRATCH"
