#!/usr/bin/env bash
# The static checks: layers, formatting, shell scripts, compiler warnings of
# gcc and clang, cppcheck, clang-tidy. Each says what it found; all are run.
#
# usage: tests/lint.sh [CHECK...]      (layers format shell gcc clang cppcheck
#                                       clang-tidy)
#
# The slow ones, shell and clang-tidy, look at the files that have changed since the
# main line, or on it within its last day (tests/changed.sh). With CHANGED=no they look
# at all files.
# shellcheck disable=SC2317 # the checks are called by name
set -u
cd "$(dirname "$0")/.." || exit 2

mapfile -t sources < <(git ls-files 'src/*.c')
mapfile -t tests < <(git ls-files 'tests/unit/*.c' 'tests/arch/*.c')
mapfile -t formatted < <(git ls-files '*.c' '*.h' '*.cc')
mapfile -t scripts < <(git ls-files '*.sh' '*.t' .ci/run 'src/packaging/tests/*' |
	xargs grep -lE '^#!.*sh|shellcheck shell=')
# changed FILE...: prints those that have changed; with CHANGED=no, all of them
changed() {
	if [ "${CHANGED:-}" = no ]; then
		printf '%s\n' "$@"
	else
		comm -12 <(printf '%s\n' "$@" | sort -u) <(tests/changed.sh --or-recent)
	fi
}

version=$(sed -n 's/^VERSION := //p' Makefile)
flags=(-std=gnu17 -Iinclude -Isrc -isystem /usr/include/libxml2 -Ibuild/obj/generated -D_GNU_SOURCE
	"-DPERFTOOL_VERSION=\"$version\"")
warnings=(-Wall -Wextra -Werror -Wconversion -Wshadow -Wstrict-prototypes
	-Wmissing-prototypes -Wvla)

# headers that the build makes
make -s build/obj/generated/pprof.pb-c.h || exit 2

# As many at a time as there are processors; fails when one does.
each() { # COMMAND... (its last argument, a file, comes from standard input)
	xargs -d '\n' -n 1 -P "$(nproc)" "$@"
}

check_layers() {
	tests/check-layers.sh
}

check_format() {
	clang-format --dry-run -Werror "${formatted[@]}"
}

check_shell() {
	# -x: what a script includes is read, too
	local looked_at

	mapfile -t looked_at < <(changed "${scripts[@]}")
	# what others include concerns them
	[[ " ${looked_at[*]} " != *.sh\ * ]] || looked_at=("${scripts[@]}")
	[ ${#looked_at[@]} = 0 ] ||
		printf '%s\n' "${looked_at[@]}" | each shellcheck -x -P SCRIPTDIR
}

# .ci/run builds with these warnings as errors. Here what has changed is compiled.
check_gcc() {
	local objects

	mapfile -t objects < <(changed "${sources[@]}" |
		sed 's,^src/\(.*\)\.c$,build-werror/obj/\1.o,')
	[ ${#objects[@]} = 0 ] || [ "${CI:-}" ] ||
		make -s BUILD=build-werror WERROR=1 SETUP=no "${objects[@]}"
}

check_clang() {
	printf '%s\n' "${sources[@]}" "${tests[@]}" |
		each clang "${flags[@]}" "${warnings[@]}" -fsyntax-only
}

check_cppcheck() {
	# Two it gets wrong: a union whose one member is computed from another
	# as a whole, and an error that a callee returns but does not keep.
	cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr -j 2 \
		--enable=warning,portability,performance \
		--suppress=missingIncludeSystem \
		--suppress=overlappingWriteUnion \
		--suppress=returnDanglingLifetime:src/command/interpreter.c \
		--suppress=returnDanglingLifetime:src/operations/operations.c \
		-Iinclude -Isrc -D__x86_64__ \
		"${sources[@]}"
}

check_clang-tidy() {
	local one="$scratch/clang-tidy-one"

	# what it says on standard error counts the warnings in system headers
	cat >"$one" <<-END
		#!/bin/sh
		exec clang-tidy --quiet "\$1" -- ${flags[*]@Q} 2>/dev/null
	END
	chmod +x "$one"
	changed "${sources[@]}" | each "$one"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
wanted=("$@")
[ $# -gt 0 ] || wanted=(layers format shell gcc clang cppcheck clang-tidy)
status=0
for check in "${wanted[@]}"; do
	if ! declare -F "check_$check" >/dev/null; then
		echo "lint: no check '$check'" >&2
		exit 2
	fi
	if "check_$check"; then
		echo "lint: $check: ok"
	else
		echo "lint: $check: FAILED"
		status=1
	fi
done
exit $status
