#!/usr/bin/env bash
# The static checks: layers, formatting, shell scripts, compiler warnings of
# gcc and clang, cppcheck, clang-tidy. Each says what it found; all are run.
#
# usage: tests/lint.sh [CHECK...]      (layers format shell gcc clang cppcheck
#                                       clang-tidy)
# shellcheck disable=SC2317 # the checks are called by name
set -u
cd "$(dirname "$0")/.." || exit 2

mapfile -t sources < <(git ls-files 'src/*.c')
mapfile -t tests < <(git ls-files 'tests/unit/*.c' 'tests/arch/*.c')
mapfile -t formatted < <(git ls-files '*.c' '*.h' '*.cc')
mapfile -t scripts < <(git ls-files '*.sh' '*.t' .ci/run 'src/packaging/tests/*' |
	xargs grep -lE '^#!.*sh|shellcheck shell=')
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
	shellcheck -x -P SCRIPTDIR "${scripts[@]}"
}

# The build has these warnings, as errors.
check_gcc() {
	make -s -j"$(nproc)" SETUP=no all unit
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
	printf '%s\n' "${sources[@]}" | each "$one"
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
