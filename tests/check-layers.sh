#!/bin/sh
# Which layer may include which: every #include of the sources and public
# headers is checked against the table below (doc/INTERNALS.md explains it).
set -u
cd "$(dirname "$0")/.." || exit 2

# layer: the layers it may include besides itself
allowed() {
	case $1 in
	base) echo ;;
	measure) echo base ;;
	arch) echo base ;;
	debuginfo) echo arch base ;;
	expr) echo debuginfo arch base ;;
	target) echo arch base ;;
	probe) echo target expr debuginfo arch base ;;
	report) echo measure base ;;
	session) echo report measure probe target expr debuginfo arch base ;;
	command) echo session report base ;;
	ui) echo command base ;;
	*) return 1 ;;
	esac
}

# The layer a public header belongs to: perftool/LAYER.h, perftool/LAYER/x.h,
# and the few that bear another name.
layer_of_header() {
	case $1 in
	histogram.h | interval.h | process.h | split.h) echo measure ;;
	debugtype.h) echo debuginfo ;;
	fast.h | straight.h) echo arch ;;
	ring.h) echo base ;;
	switches.h | command_line.h) echo target ;;
	*) echo "$1" | sed 's,[./].*,,' ;;
	esac
}

check_file() { # layer file
	permitted=" $1 $(allowed "$1") "
	sed -n 's,^#[[:space:]]*include[[:space:]]*"\([^"]*\)".*,\1,p' "$2" |
	while read -r include; do
		case $include in
		perftool/*) to=$(layer_of_header "${include#perftool/}") ;;
		*/*) to=${include%%/*} ;;
		*) to=$1 ;; # a private header beside the source
		esac
		case $permitted in
		*" $to "*) ;;
		*) echo "$2: layer $1 may not include $include ($to)" ;;
		esac
	done
}

{
	for directory in src/*/; do
		layer=$(basename "$directory")
		if ! allowed "$layer" >/dev/null; then
			echo "src/$layer: not a layer"
			continue
		fi
		find "$directory" -name '*.[chS]' | while read -r file; do
			check_file "$layer" "$file"
		done
	done
	find include/perftool -name '*.h' | while read -r header; do
		check_file "$(layer_of_header "${header#include/perftool/}")" \
			"$header"
	done
	# ptrace and the wait family have one caller
	grep -rnE '\b(ptrace|waitpid|waitid|wait4|wait3) ?\(' src --include='*.c' |
		grep -v '^src/target/' | grep -vE '^[^:]*:[0-9]*:[[:space:]]*(/?\*|//)' |
		sed 's/^/only target may call this: /'
	# and only main.c exits
	grep -rnE '(^|[^a-z_])_?exit ?\(' src --include='*.c' |
		grep -vE '^src/ui/main\.c|^src/target/' |
		grep -vE '^[^:]*:[0-9]*:[[:space:]]*(/?\*|//)' |
		sed 's/^/only main.c may exit: /'
} >"${TMPDIR:-/tmp}/layers.$$"

if [ -s "${TMPDIR:-/tmp}/layers.$$" ]; then
	cat "${TMPDIR:-/tmp}/layers.$$"
	rm -f "${TMPDIR:-/tmp}/layers.$$"
	exit 1
fi
rm -f "${TMPDIR:-/tmp}/layers.$$"
