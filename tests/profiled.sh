# profiled.sh - counts the calls of functions of a program, for tests
#
# A test sources this file after lib.sh: `. "$ROOT/tests/profiled.sh"`.
#
# shellcheck shell=bash

# profiled PATTERN... -- PROGRAM [ARG...]: counts the calls of these functions.
# The table is then in f.json. If $SETTINGS is set, this command comes first.
# $WRAP are words before the command.
profiled() {
	local patterns=()

	while [ "$1" != -- ]; do
		patterns+=("'$1'")
		shift
	done
	shift
	rm -f f.json
	# shellcheck disable=SC2086 # words of a command, or none
	try ${WRAP:-} perftool -q -n -b -e "${SETTINGS:-set format json}" \
		-e 'set format json' -e "profile functions ${patterns[*]}" \
		-e run -e 'print functions > f.json' -- "$@"
}
