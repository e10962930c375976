#!/usr/bin/env bash
# SIGKILL for the server, a front end and the program of `perftool serve`: before
# START, while it runs, while few or thousands of nodes are put in, while
# something is sent, and while the server ends.
# tier: full
# covers: serve probe
. "$(dirname "$0")/../lib.sh"

mkdir deaths
PYTHONPATH=$ROOT/tests within 400 /usr/bin/python3 \
	"$ROOT/tests/e2e/serve_deaths.py" "$BUILD/perftool" \
	"$PROGRAMS/server" "$PWD/deaths" >checks 2>errors
is "$?" 0 'all deaths were played'
while read -r word name; do
	case $word in
	pass) pass "$name" ;;
	*) fail "${name%%: \[*}" "$name" ;;
	esac
done <checks
is "$(cat errors)" '' 'and nothing unexpected has happened'

done_testing
