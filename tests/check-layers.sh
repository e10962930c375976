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

# The functions below set a variable and start no process, because they are called
# for each #include.

# allowed LAYER: sets $names to the layers that this layer may include besides
# itself
allowed() {
	case $1 in
	base) names= ;;
	measure) names=base ;;
	arch) names=base ;;
	debuginfo) names='arch base' ;;
	expr) names='debuginfo arch base' ;;
	target) names='arch base' ;;
	probe) names='target expr debuginfo arch base' ;;
	profile) names=base ;;
	sample) names='target debuginfo arch base' ;;
	document) names=base ;;
	saved) names='report compare measure base' ;;
	compare) names=base ;;
	web) names= ;;
	report) names='compare document profile measure web base' ;;
	session)
		names='report profile sample measure probe target expr debuginfo arch base'
		;;
	command) names='session report base' ;;
	operations) names='document command session report base' ;;
	library) names='operations document command session report base' ;;
	serve) names='library operations document web base' ;;
	merge) names='saved document report measure base' ;;
	ui) names='serve library merge saved report compare measure base' ;;
	*) return 1 ;;
	esac
}

# allowed_inside FOLDER: sets $names to the folders of the same layer that this
# folder may include besides itself. `.` is the layer's own folder, which may include
# each folder in it.
allowed_inside() {
	case $1 in
	arch/x86_64) names= ;;
	debuginfo/elf) names= ;;
	debuginfo/dwarf) names=elf ;;
	debuginfo/scopes) names='dwarf elf' ;;
	debuginfo/index) names='dwarf elf' ;;
	debuginfo/types) names='index scopes dwarf elf' ;;
	debuginfo/symbols) names='types scopes dwarf elf' ;;
	debuginfo/lines) names='symbols scopes dwarf elf' ;;
	# Locations and frames need each other, by the definition of DWARF: an
	# expression may ask for a value that the caller knows
	# (DW_OP_entry_value), and the rules that find the caller may be
	# expressions (DW_CFA_expression).
	debuginfo/locations) names='frames types dwarf elf' ;;
	debuginfo/frames)
		names='locations lines symbols types index scopes dwarf elf'
		;;
	debuginfo/variables)
		names='frames locations lines symbols types index scopes dwarf elf'
		;;
	expr/syntax) names= ;;
	expr/evaluate) names=syntax ;;
	expr/bind | expr/compile | expr/label) names='evaluate syntax' ;;
	expr/print) names='label evaluate syntax' ;;
	expr/containers) names='bind evaluate syntax' ;;
	# `.` has struct probe and struct space, which hold an object of each
	# folder. It also has the work that concerns all of these objects: a
	# stop, or an update of jumps.
	probe/process) names=. ;;
	probe/site) names='. process' ;;
	probe/arrival) names='. process site' ;;
	probe/survive) names='. process site' ;;
	probe/request) names='. process site arrival' ;;
	probe/fast) names='. process site arrival' ;;
	probe/rings) names='. process site arrival survive fast' ;;
	probe/calibrate) names='. process site arrival survive fast rings' ;;
	# `.` has the table of commands, and the interpreter that carries out
	# the one that a line means
	command/help | command/expect) names=. ;;
	command/question) names='. help expect' ;;
	command/families | command/inspect) names='. help' ;;
	report/figures) names= ;;
	report/records) names=figures ;;
	report/files) names='records figures' ;;
	report/text) names='records figures' ;;
	report/listings | report/comparisons) names='text records figures' ;;
	report/pictures) names='records figures' ;;
	report/page) names='pictures files text records figures' ;;
	# `.` has struct measure, and what happens at a hit
	measure/timekeeping | measure/values) names= ;;
	measure/threads) names='. timekeeping values' ;;
	# `.` has struct session, with the state of run control
	session/names) names=. ;;
	session/settings) names='. names' ;;
	session/requests) names='. names settings' ;;
	session/run) names='. requests' ;;
	session/tables) names='. run requests settings' ;;
	session/call_frames) names='. run' ;;
	session/inspect) names='. run names call_frames' ;;
	session/profiling) names='. run requests names' ;;
	# `.` has struct target, and waits for threads, resumes and stops them
	target/proc) names= ;;
	target/memory) names='. proc' ;;
	target/attach) names='. proc' ;;
	target/remote) names='. attach memory proc' ;;
	# `.` has the table, the desk, which holds an object of each folder,
	# and the operations that concern no folder
	operations/classes) names=. ;;
	operations/details | operations/samples) names='. classes' ;;
	operations/agents) names='. details samples' ;;
	operations/instrumentation) names='. details' ;;
	operations/watch_memory) names='. instrumentation' ;;
	# `.` has the server and the connections
	serve/wire | serve/http) names= ;;
	serve/client) names='. wire' ;;
	ui/terminal) names= ;;
	ui/prompt) names='. terminal' ;;
	*) return 1 ;;
	esac
}

# layer_of_header HEADER: sets $layer to the layer that a public header belongs to.
# The name of the header is perftool/LAYER.h or perftool/LAYER/x.h, except for the
# few headers that are listed here.
layer_of_header() {
	case $1 in
	histogram.h | inside.h | interval.h | process_share.h | split.h)
		layer=measure
		;;
	debugtype.h) layer=debuginfo ;;
	expr_print.h) layer='expr' ;;
	basic_blocks.h | counting.h | fast_node.h | ring.h | straight.h)
		layer=arch
		;;
	probe_event.h) layer=probe ;;
	mark.h) layer=base ;;
	switches.h | perf_log.h | pc_samples.h | command_line.h | scheduling.h)
		layer=target
		;;
	*) layer=${1%%[./]*} ;;
	esac
}

# layer_of FILE: sets $layer
layer_of() {
	case $1 in
	src/*)
		layer=${1#src/}
		layer=${layer%%/*}
		;;
	*) layer_of_header "${1#include/perftool/}" ;;
	esac
}

# folder_of PATH: sets $folder to the folder, inside of its layer, that a path
# below src/ is in, or to `.` if the file is in the layer's own folder
folder_of() {
	folder=${1#*/}
	case $folder in
	*/*) folder=${folder%/*} ;;
	*) folder=. ;;
	esac
}

# check_layer FILE LAYER INCLUDE: is the layer of the include allowed?
check_layer() {
	case $3 in
	perftool/*) layer_of_header "${3#perftool/}" ;;
	*/*) layer=${3%%/*} ;;
	*) return ;; # a private header beside the source
	esac
	allowed "$2"
	case " $2 $names " in
	*" $layer "*) ;;
	*) echo "$1: layer $2 may not include $3 ($layer)" ;;
	esac
}

# check_folder FILE LAYER INCLUDE: is the folder of the include allowed?
check_folder() {
	case $3 in
	"$2"/*) ;;
	*/*) return ;;
	*)
		[ -f "${1%/*}/$3" ] || echo "$1: no $3 is beside it"
		return
		;;
	esac
	folder_of "${1#src/}"
	from=$folder
	folder_of "$3"
	[ "$folder" != "$from" ] ||
		echo "$1: $3 is beside it, and is named so"
	if [ "$folder" != . ] && [ "${3##*/}" != "${folder##*/}.h" ]; then
		echo "$1: $3 is private to src/$2/$folder"
	fi
	[ "$from" != . ] || return
	allowed_inside "$2/$from"
	case " $names " in
	*" $folder "*) ;;
	*) echo "$1: src/$2/$from may not include $3" ;;
	esac
}

# Prints each file, and what it includes, in a line.
includes() {
	grep -rE '^#[[:space:]]*include[[:space:]]*"' --include='*.[chS]' src include |
	sed 's,^\([^:]*\):[^"]*"\([^"]*\)".*,\1 \2,'
}

{
	# (src/packaging has no code: files of the archive and of the packages)
	find src -mindepth 1 -type d ! -path 'src/packaging*' |
	while read -r directory; do
		inside=${directory#src/}
		case $inside in
		*/*)
			[ -z "$(find "$directory" -maxdepth 1 -name '*.[chS]')" ] ||
				allowed_inside "$inside" ||
				echo "$directory: not a folder of the layer"
			;;
		*) allowed "$inside" || echo "$directory: not a layer" ;;
		esac
	done
	includes | while read -r file include; do
		layer_of "$file"
		own=$layer
		check_layer "$file" "$own" "$include"
		case $file in
		src/*) check_folder "$file" "$own" "$include" ;;
		esac
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
	# (src/library/server_start.c and src/base/child.c make processes of their
	# own, which are no programs that are measured.)
	grep -rnE '\b(ptrace|waitpid|waitid|wait4|wait3) ?\(' src --include='*.c' |
		grep -v '^src/target/' | grep -vE '^src/(library/server_start|base/child)\.c' | grep -vE '^[^:]*:[0-9]*:[[:space:]]*(/?\*|//)' |
		sed 's/^/only target may call this: /'
	# Only main.c may end the process.
	grep -rnE '(^|[^a-z_])_?exit ?\(' src --include='*.c' |
		grep -vE '^src/ui/main\.c|^src/target/|^src/(library/server_start|base/child)\.c' |
		grep -vE '^[^:]*:[0-9]*:[[:space:]]*(/?\*|//)' |
		sed 's/^/only main.c may exit: /'
} >"${TMPDIR:-/tmp}/layers.$$"

if [ -s "${TMPDIR:-/tmp}/layers.$$" ]; then
	cat "${TMPDIR:-/tmp}/layers.$$"
	rm -f "${TMPDIR:-/tmp}/layers.$$"
	exit 1
fi
rm -f "${TMPDIR:-/tmp}/layers.$$"
