#!/usr/bin/env bash
# The files of a running program are renamed, removed and replaced, as by a user
# who builds or upgrades the program. The program makes its code writable or
# moves it to other memory. The measurement goes on, and at the end nothing of
# the tool is left.
# tier: full
# covers: probe/process probe/site
# again: int3
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "$0")/../lib.sh"

rename_library() { mv lib.so old.so; }
rename_program() { mv program old; }
remove_library() { rm lib.so && says "load $PROGRAMS/plugin2" 'done 10' "$1"; }
remove_program() { rm program && says "load $PROGRAMS/plugin2" 'done 10' "$1"; }
replace_library() {
	cp "$PROGRAMS/plugin2" new.so && mv new.so lib.so &&
		says "load $PWD/lib.so" 'done 10' "$1"
}
write_code() { says writable 'done 10' "$1"; }
copy_code() { says anonymous 'done 10' "$1"; }

for mechanism in int3 fast; do
	for what in rename_library rename_program remove_library \
		remove_program replace_library write_code copy_code; do
		name="$mechanism, ${what/_/ }"
		rm -rf ./*
		cp "$PROGRAMS/plugin" lib.so
		cp "$PROGRAMS/replaced" program
		serve ./program ./lib.so
		is "$reply" ready "$name: the program starts"
		attach_told -n -q >said 2>said.err
		tell "set mechanism $mechanism" 'monitor on' \
			'break entry plugin_work@lib.so if 1' \
			'break entry own if 1'
		says 10 'done 10' "$name: the program works while it is measured"
		$what "$name: the change is made"
		# all threads are stopped for these commands
		tell 'break entry main if 1' 'delete break 3'
		[ "$what" != write_code ] ||
			says executable 'done 10' "$name: the program makes its code executable again"
		says 20 'done 30' "$name: the program works after the change"
		tell 'save tables t.json' detach
		is "$(json 'node(1)["count"], node(2)["count"]')" '30 30' \
			"$name: both breakpoints count all 30 calls"
		says 5 'done 35' "$name: the program works after detaching"
		exec 5>&-
		end_server
	done
done
done_testing
