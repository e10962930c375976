#!/usr/bin/env bash
# Install what is missing to build and test perftool. Silent when nothing is missing.
#
# usage: tests/setup.sh build|check|lint|fuzz|deb|package...
#
# build: the program and the samples. check: its tests and benchmarks. lint:
# formatting and static analysis. fuzz: libFuzzer. deb: the Debian packages.
# package: the test of these.
#
# With apt-get it installs them (tried on Debian 12 and 13). Without it, it looks for
# the compiler and the libraries of the build, and names those that are missing and
# the least version of each.
set -u

# FIRST|SECOND|...: systems have it under different names.
build="gcc make libdwarf-dev libelf-dev zlib1g-dev libedit-dev libzydis-dev
	libzycore-dev libjson-c-dev libiberty-dev libisal-dev
	libprotobuf-c-dev protobuf-c-compiler libxml2-dev libmicrohttpd-dev"
check="$build g++ clang lld libc6-dbg libcmocka-dev perl gdb sqlite3 libsqlite3-0
	python3 pkgconf|pkg-config git tmux man-db less procps libcap2-bin redis-tools
	strace dwz libxml2-utils protobuf-compiler llvm musl-tools rustc valgrind golang-go
	luajit"
# What tests use where it can be had: they leave out a part without it. Another
# profiler, the page in a browser, the example that plots, the completions of other
# shells than bash, and ranks that mpirun starts.
wishes="linux-perf|linux-tools-generic chromium python3-matplotlib zsh fish openmpi-bin
	libopenmpi-dev"
lint="$build libcmocka-dev clang clang-format clang-tidy cppcheck shellcheck"
fuzz="$build clang libclang-rt-dev|libclang-rt-19-dev|libclang-rt-18-dev|libclang-rt-14-dev"
deb="$build build-essential libcmocka-dev perl pkgconf|pkg-config python3 dpkg-dev
	debhelper dh-python fakeroot lintian xz-utils"
package="debootstrap"

# The libraries of the build, as pkg-config knows them, with the least version that is
# known to work; and headers of libraries that pkg-config does not know.
libraries="libelf=0.180 zlib=1.2.11 libisal=2.30 libedit=3.1 json-c=0.15
	libprotobuf-c=1.3.3 libxml-2.0=2.9 libmicrohttpd=0.9.71"
headers="Zydis/Zydis.h=Zydis_4.0 libiberty/demangle.h=libiberty_of_binutils_2.38
	libdwarf/dwarf.h|dwarf.h=libdwarf_0.5"

wanted=
for level in "$@"; do
	case $level in
	build) wanted+=" $build" ;;
	check) wanted+=" $check" ;;
	lint) wanted+=" $lint" ;;
	fuzz) wanted+=" $fuzz" ;;
	deb) wanted+=" $deb" ;;
	package) wanted+=" $package" ;;
	*)
		echo "tests/setup.sh: no level '$level' (build check lint fuzz deb package)" >&2
		exit 2
		;;
	esac
done

# A build takes 120 MB, and the tests and their programs 320 MB more.
needed=150
[[ " $* " != *" check "* ]] || needed=500
room=$(($(stat -f -c '%a * %S / 1048576' .)))
[ -d build ] || [ $room -ge $needed ] || {
	echo "perftool: there are $room MB of room in $PWD, and this needs $needed" >&2
	exit 1
}

# ---- without apt-get ---------------------------------------------------------

# has_header NAME|NAME...: does the compiler find one of them?
has_header() {
	local name

	for name in ${1//|/ }; do
		echo "#include <$name>" | gcc -E -x c - >/dev/null 2>&1 && return
	done
	return 1
}

# Names what the build needs and this machine lacks, in one line; fails if there is
# anything.
look_without_apt() {
	local lacking=() command library

	for command in gcc make protoc-c pkg-config; do
		command -v $command >/dev/null || lacking+=("$command")
	done
	for library in $libraries; do
		pkg-config --atleast-version="${library#*=}" "${library%=*}" \
			2>/dev/null || lacking+=("${library/=/ >= }")
	done
	for library in $headers; do
		has_header "${library%=*}" || {
			library=${library#*=}
			lacking+=("${library//_/ } (its header)")
		}
	done
	[ ${#lacking[@]} -gt 0 ] || return 0
	printf 'perftool: this system has no apt-get; please install: %s' \
		"${lacking[0]}" >&2
	[ ${#lacking[@]} = 1 ] || printf ', %s' "${lacking[@]:1}" >&2
	echo ' (make SETUP=no GOAL does not look for them)' >&2
	return 1
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	look_without_apt
	exit
fi

# ---- with apt-get ------------------------------------------------------------

is_installed() { # PACKAGE
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# can_be_had PACKAGE: do the package lists have it?
can_be_had() {
	[[ $(LC_ALL=C apt-cache policy "$1" 2>/dev/null) == *'Candidate: '[0-9]* ]]
}

# name_of FIRST|SECOND...: prints the name of the package here: the one that is
# installed, or the first that can be had, or FIRST
name_of() {
	local name

	for name in ${1//|/ }; do
		is_installed "$name" && echo "$name" && return
	done
	[[ $1 == *'|'* ]] || {
		echo "$1"
		return
	}
	for name in ${1//|/ }; do
		can_be_had "$name" && echo "$name" && return
	done
	echo "${1%%|*}"
}

# missing_of NAME...: prints those that are not installed. One call of dpkg-query
# knows most of them.
missing_of() {
	local present name

	# shellcheck disable=SC2048,SC2086 # one argument a package
	present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' ${*//|/ } \
		2>/dev/null | sed -n 's/^installed //p')
	for name in "$@"; do
		grep -qxF "${name//|/$'\n'}" <<<"$present" || name_of "$name"
	done | sort -u
}

elsewhere() { # WHY
	echo "perftool: please install: $missing ($1; make SETUP=no GOAL does not look for them)" >&2
	exit 1
}

as_root=()
can_install() {
	[ "$(id -u)" = 0 ] && return
	command -v sudo >/dev/null && as_root=(sudo)
}

install() { # PACKAGE...
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y \
		-q --no-install-recommends -o DPkg::Lock::Timeout=300 \
		"$@" </dev/null >"$log" 2>&1
}

log=$(mktemp) || {
	echo "perftool: no temporary file can be made in ${TMPDIR:-/tmp}" >&2
	exit 1
}
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # one argument a package
missing=$(missing_of $wanted | tr '\n' ' ')
missing=${missing% }
if [ -n "$missing" ]; then
	can_install || elsewhere "that needs root, or sudo"
	echo "perftool: installing with apt-get: $missing" >&2
	# shellcheck disable=SC2086 # one argument a package
	if ! install $missing; then
		# The package lists may be missing or out of date, and then other
		# names may be right.
		"${as_root[@]}" apt-get update -q </dev/null >"$log" 2>&1
		# shellcheck disable=SC2086
		missing=$(missing_of $wanted | tr '\n' ' ')
		# shellcheck disable=SC2086
		if ! install $missing; then
			elsewhere "apt-get cannot: $(grep '^E:' "$log" | tail -n 1)"
		fi
	fi
fi
[[ " $* " == *" check "* ]] || exit 0
# shellcheck disable=SC2086
for package in $(missing_of $wishes); do
	can_be_had "$package" || continue
	can_install || exit 0
	echo "perftool: installing with apt-get: $package" >&2
	install "$package" ||
		echo "perftool: without $package some tests leave out a part" >&2
done
