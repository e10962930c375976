#!/bin/sh
# Checks the includes of all files against the tables below. doc/INTERNALS.md
# explains the tables:
#
# - A layer, which is a folder of src/, includes the layers that allowed() names.
# - No two files of src/ and include/ have the same name.
# - Nobody includes what is in a folder of periphery.txt, which perftool can do
#   without: no other file of src/ does, and expr_print.h is only for those.
# - A large layer has folders inside. A folder includes the folders of its layer
#   that allowed_inside() names, and of each of them only the header that bears
#   the folder's name: src/probe/site/ offers src/probe/site/site.h.
set -u
cd "$(dirname "$0")/.." || exit 2

# allowed LAYER: prints the layers that this layer may include besides itself
allowed() {
	case $1 in
	base) echo ;;
	measure) echo base ;;
	arch) echo base ;;
	debuginfo) echo arch base ;;
	expr) echo debuginfo arch base ;;
	target) echo arch base ;;
	probe) echo target expr debuginfo arch base ;;
	profile) echo base ;;
	sample) echo target debuginfo arch base ;;
	document) echo base ;;
	saved) echo report compare measure base ;;
	compare) echo base ;;
	web) echo ;;
	report) echo compare document profile measure web base ;;
	session)
		echo report profile sample measure probe target expr debuginfo \
			arch base
		;;
	command) echo session report base ;;
	operations) echo document command session report base ;;
	library) echo operations document command session report base ;;
	serve) echo library operations document web base ;;
	merge) echo saved document report measure base ;;
	ui) echo serve library merge saved report compare measure base ;;
	*) return 1 ;;
	esac
}

# allowed_inside FOLDER: prints the folders of the same layer that this folder
# may include besides itself. `.` is the layer's own folder, which may include
# each folder in it.
allowed_inside() {
	case $1 in
	arch/x86_64) echo ;;
	debuginfo/elf) echo ;;
	debuginfo/dwarf) echo elf ;;
	debuginfo/scopes) echo dwarf elf ;;
	debuginfo/index) echo dwarf elf ;;
	debuginfo/types) echo index scopes dwarf elf ;;
	debuginfo/symbols) echo types scopes dwarf elf ;;
	debuginfo/lines) echo symbols scopes dwarf elf ;;
	# Locations and frames need each other, by the definition of DWARF: an
	# expression may ask for a value that the caller knows
	# (DW_OP_entry_value), and the rules that find the caller may be
	# expressions (DW_CFA_expression).
	debuginfo/locations) echo frames types dwarf elf ;;
	debuginfo/frames)
		echo locations lines symbols types index scopes dwarf elf
		;;
	debuginfo/variables)
		echo frames locations lines symbols types index scopes dwarf elf
		;;
	expr/syntax) echo ;;
	expr/evaluate) echo syntax ;;
	expr/bind | expr/compile | expr/label) echo evaluate syntax ;;
	expr/print) echo label evaluate syntax ;;
	expr/containers) echo bind evaluate syntax ;;
	# `.` has struct probe and struct space, which hold an object of each
	# folder. It also has the work that concerns all of these objects: a
	# stop, or an update of jumps.
	probe/process) echo . ;;
	probe/site) echo . process ;;
	probe/arrival) echo . process site ;;
	probe/survive) echo . process site ;;
	probe/request) echo . process site arrival ;;
	probe/fast) echo . process site arrival ;;
	probe/rings) echo . process site arrival survive fast ;;
	probe/calibrate) echo . process site arrival survive fast rings ;;
	# `.` has the table of commands, and the interpreter that carries out
	# the one that a line means
	command/help | command/expect) echo . ;;
	command/question) echo . help expect ;;
	command/families | command/inspect) echo . help ;;
	report/figures) echo ;;
	report/records) echo figures ;;
	report/files) echo records figures ;;
	report/text) echo records figures ;;
	report/listings | report/comparisons) echo text records figures ;;
	report/pictures) echo records figures ;;
	report/page) echo pictures files text records figures ;;
	# `.` has struct measure, and what happens at a hit
	measure/timekeeping | measure/values) echo ;;
	measure/threads) echo . timekeeping values ;;
	# `.` has struct session, with the state of run control
	session/names) echo . ;;
	session/settings) echo . names ;;
	session/requests) echo . names settings ;;
	session/run) echo . requests ;;
	session/tables) echo . run requests settings ;;
	session/call_frames) echo . run ;;
	session/inspect) echo . run names call_frames ;;
	session/profiling) echo . run requests names ;;
	# `.` has struct target, and waits for threads, resumes and stops them
	target/proc) echo ;;
	target/memory) echo . proc ;;
	target/attach) echo . proc ;;
	target/remote) echo . attach memory proc ;;
	# `.` has the server and the connections
	# `.` has the table, the desk, which holds an object of each folder,
	# and the operations that concern no folder
	operations/classes) echo . ;;
	operations/details | operations/samples) echo . classes ;;
	operations/agents) echo . details samples ;;
	operations/instrumentation) echo . details ;;
	operations/watch_memory) echo . instrumentation ;;
	serve/wire | serve/http) echo ;;
	serve/client) echo . wire ;;
	ui/terminal) echo ;;
	ui/prompt) echo . terminal ;;
	*) return 1 ;;
	esac
}

# Prints the layer that a public header belongs to. The name of the header is
# perftool/LAYER.h or perftool/LAYER/x.h, except for the few headers that are
# listed here.
layer_of_header() {
	case $1 in
	histogram.h | inside.h | interval.h | process_share.h | split.h) echo measure ;;
	debugtype.h) echo debuginfo ;;
	expr_print.h) echo expr ;;
	basic_blocks.h | counting.h | fast_node.h | ring.h | straight.h) echo arch ;;
	probe_event.h) echo probe ;;
	mark.h) echo base ;;
	switches.h | perf_log.h | pc_samples.h | command_line.h | scheduling.h)
		echo target
		;;
	*) echo "${1%%[./]*}" ;;
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

# Prints the folder, inside of its layer, that a path below src/ is in. Prints
# `.` if the file is in the layer's own folder.
folder_of() { # path
	inside=${1#*/}
	case $inside in
	*/*) echo "${inside%/*}" ;;
	*) echo . ;;
	esac
}

check_folders() { # layer file
	from=$(folder_of "${2#src/}")
	if [ "$from" != . ] && ! permitted=$(allowed_inside "$1/$from"); then
		echo "$2: src/$1/$from is not a folder of the layer"
		return
	fi
	sed -n 's,^#[[:space:]]*include[[:space:]]*"\([^"]*\)".*,\1,p' "$2" |
	while read -r include; do
		case $include in
		"$1"/*) ;;
		*/*) continue ;;
		*)
			[ -f "${2%/*}/$include" ] ||
				echo "$2: no $include is beside it"
			continue
			;;
		esac
		to=$(folder_of "$include")
		[ "$to" != "$from" ] ||
			echo "$2: $include is beside it, and is named so"
		if [ "$to" != . ] && [ "${include##*/}" != "${to##*/}.h" ]; then
			echo "$2: $include is private to src/$1/$to"
		fi
		case " $permitted " in
		*" $to "*) ;;
		*) [ "$from" = . ] ||
			echo "$2: src/$1/$from may not include $include" ;;
		esac
	done
}

{
	for directory in src/*/; do
		layer=$(basename "$directory")
		# No code: the files of the archive and of the packages.
		[ "$layer" != packaging ] || continue
		if ! allowed "$layer" >/dev/null; then
			echo "src/$layer: not a layer"
			continue
		fi
		find "$directory" -name '*.[chS]' | while read -r file; do
			check_file "$layer" "$file"
			check_folders "$layer" "$file"
		done
	done
	find include/perftool -name '*.h' | while read -r header; do
		check_file "$(layer_of_header "${header#include/perftool/}")" \
			"$header"
	done
	sed -n 's/^\(src[^ ]*\).*/\1/p' tests/periphery.txt | while read -r folder; do
		grep -rln "^#include \"${folder#src/}/" src include |
			grep -v "^$folder/" |
			sed "s,$,: includes a file of $folder (periphery.txt),"
	done
	grep -rl '^#include "perftool/expr_print.h"' src include |
		grep -vE '^src/expr/print/|^src/session/inspect/' |
		sed 's/$/: includes what only the periphery may/'
	find src include -name '*.[chS]' | sed 's,.*/,,' | sort | uniq -d |
		sed 's/$/: two files have this name/'
	# Only the target layer may call ptrace(2) and the wait functions.
	# (src/library/server_start.c makes a process of its own, which is no
	# program that is measured.)
	grep -rnE '\b(ptrace|waitpid|waitid|wait4|wait3) ?\(' src --include='*.c' |
		grep -v '^src/target/' | grep -v '^src/library/server_start\.c' | grep -vE '^[^:]*:[0-9]*:[[:space:]]*(/?\*|//)' |
		sed 's/^/only target may call this: /'
	# Only main.c may end the process.
	grep -rnE '(^|[^a-z_])_?exit ?\(' src --include='*.c' |
		grep -vE '^src/ui/main\.c|^src/target/|^src/library/server_start\.c' |
		grep -vE '^[^:]*:[0-9]*:[[:space:]]*(/?\*|//)' |
		sed 's/^/only main.c may exit: /'
} >"${TMPDIR:-/tmp}/layers.$$"

if [ -s "${TMPDIR:-/tmp}/layers.$$" ]; then
	cat "${TMPDIR:-/tmp}/layers.$$"
	rm -f "${TMPDIR:-/tmp}/layers.$$"
	exit 1
fi
rm -f "${TMPDIR:-/tmp}/layers.$$"
