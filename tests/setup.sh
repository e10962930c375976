#!/usr/bin/env bash
# Install what is missing to build and test perftool, on Debian 12. Silent when nothing is missing.
#
# usage: tests/setup.sh build|check|lint|fuzz|deb|package...
#
# build: the program and the samples. check: its tests and benchmarks. lint:
# formatting and static analysis. fuzz: libFuzzer. deb: the Debian packages.
# package: the test of these.
set -u

build="gcc make libdwarf-dev libelf-dev zlib1g-dev libedit-dev libzydis-dev
	libzycore-dev libjson-c-dev libiberty-dev libisal-dev
	libprotobuf-c-dev protobuf-c-compiler libxml2-dev libmicrohttpd-dev"
check="$build g++ clang lld libc6-dbg libcmocka-dev perl gdb sqlite3 libsqlite3-0
	python3 pkg-config git tmux man-db less procps libcap2-bin redis-tools strace dwz
	libxml2-utils protobuf-compiler llvm musl-tools rustc valgrind golang-go luajit
	linux-perf"
# What tests use where it can be had: they leave out a part without it. The page
# in a browser, the example that plots, the completions of other shells than bash, and ranks
# that mpirun starts.
wishes="chromium python3-matplotlib zsh fish openmpi-bin libopenmpi-dev"
lint="$build libcmocka-dev clang clang-format clang-tidy cppcheck shellcheck"
fuzz="$build clang libclang-rt-14-dev"
deb="$build libcmocka-dev perl pkg-config python3 dpkg-dev debhelper dh-python fakeroot
	lintian xz-utils"
package="debootstrap"

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
# shellcheck disable=SC2086 # one word a line
wanted=$(printf '%s\n' $wanted | sort -u)

elsewhere() {
	cat >&2 <<-END
		perftool: what is needed cannot be installed here: $1
		perftool: on Debian 12 it is: ${wanted//$'\n'/ }
		perftool: with all of it there, make SETUP=no GOAL leaves this out
	END
	exit 1
}

command -v dpkg-query >/dev/null || elsewhere "this is not a Debian system"

# dpkg-query fails when it does not know one of them: then it is missing.
# shellcheck disable=SC2086 # one argument a package
present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted \
	2>/dev/null | sed -n 's/^installed //p' | sort -u)
missing=$(comm -23 <(echo "$wanted") <(echo "$present") | tr '\n' ' ')
missing=${missing% }

as_root=()
can_install() {
	command -v apt-get >/dev/null || return 1
	[ "$(id -u)" = 0 ] && return
	command -v sudo >/dev/null && as_root=(sudo)
}

install() { # PACKAGE...
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y \
		-q --no-install-recommends -o DPkg::Lock::Timeout=300 \
		"$@" </dev/null >"$log" 2>&1
}

# wished PACKAGE: can it be installed, and is it not? The package lists say it.
wished() {
	! dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null |
		grep -qx installed &&
		[[ $(apt-cache policy "$1" 2>/dev/null) == *'Candidate: '[0-9]* ]]
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [ -n "$missing" ]; then
	can_install || elsewhere "installing ($missing) needs apt-get, and root or sudo"
	echo "perftool: installing with apt-get: $missing" >&2
	# shellcheck disable=SC2086 # one argument a package
	if ! install $missing; then
		# the package lists may be missing or out of date
		"${as_root[@]}" apt-get update -q </dev/null >"$log" 2>&1
		if ! install $missing; then
			tail -n 20 "$log" >&2
			elsewhere "apt-get install failed (above)"
		fi
	fi
fi
[[ " $* " == *" check "* ]] || exit 0
for package in $wishes; do
	wished "$package" || continue
	can_install || exit 0
	echo "perftool: installing with apt-get: $package" >&2
	install "$package" ||
		echo "perftool: without $package some tests leave out a part" >&2
done
