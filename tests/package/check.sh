#!/usr/bin/env bash
# Install the Debian packages in a new Debian, try them there, remove them, and
# compare what is left with what was there before.
#
# usage: tests/package/check.sh FOLDER
#
# FOLDER has the packages that `make deb` has built on this kind of Debian. This needs
# root, and a mirror of Debian: MIRROR and SUITE name another one than debootstrap would
# take. CHROOT is
# a folder for the new Debian, which is kept and used again; without it there is
# one for this run alone.
set -u
folder=$(cd "${1:?usage: tests/package/check.sh FOLDER}" && pwd) || exit 2
cd "$(dirname "$0")/../.." || exit 2
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
umask 022

[ "$(id -u)" = 0 ] || {
	echo "check-package: needs root, to make a Debian to install in" >&2
	exit 1
}
if [ -n "${CHROOT:-}" ]; then
	root=$CHROOT
else
	root=$(mktemp -d "${TMPDIR:-/tmp}/perftool-package.XXXXXX")
	# It is the folder / inside, and mktemp lets root alone enter its folders.
	chmod 755 "$root"
	trap 'clean_up; rm -rf --one-file-system "$root"' EXIT
fi

clean_up() {
	umount "$root/proc" "$root/dev/pts" "$root/dev" 2>/dev/null || true
}
[ -z "${CHROOT:-}" ] || trap clean_up EXIT
trap 'exit 1' INT TERM HUP

count=0 failed=0
result() { # STATUS NAME
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		failed=$((failed + 1))
		echo "not ok $count - $2"
		sed 's/^/#   /' "$log"
	fi
}

log=$(mktemp)
inside() { # COMMAND...
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@" \
		</dev/null >"$log" 2>&1
}

if [ ! -e "$root/etc/debian_version" ]; then
	debootstrap --variant=minbase "${SUITE:-bookworm}" "$root" \
		${MIRROR:+"$MIRROR"} >"$log" 2>&1 || {
		tail -n 20 "$log" >&2
		exit 1
	}
fi
for file in /etc/resolv.conf /etc/hosts; do
	[ ! -e "$file" ] || cp -L "$file" "$root$file"
done
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t devpts devpts "$root/dev/pts" 2>/dev/null || true

# All files but those that apt and dpkg keep for themselves.
list() {
	find "$root" -xdev \( -path "$root/proc" -o -path "$root/dev" -o \
		-path "$root/tmp" -o -path "$root/var/lib/dpkg" -o \
		-path "$root/var/lib/apt" -o -path "$root/var/cache" -o \
		-path "$root/var/log" -o -path "$root/perftool" \) -prune -o \
		-printf '%P %y %m\n' | sort
}

# What the tests use besides is there before, so that only the packages differ.
mapfile -t needed < <(sed -n 's/^Depends: //p' src/packaging/tests/control |
	tr ',' '\n' | sed 's/ //g' | sort -u | grep -v perftool)
mkdir -p "$root/perftool"
cp "$folder"/*perftool*.deb "$root/perftool"
inside apt-get update -q && inside apt-get install -y -q \
	--no-install-recommends "${needed[@]}"
result $? 'what the tests need is installed'
# What the packages depend on comes and goes with them.
inside apt-get autoremove -y -q --purge
before=$(list)

inside sh -c 'apt-get install -y -q --no-install-recommends /perftool/*.deb'
result $? 'apt installs the packages with what they depend on'
inside dpkg --audit
result $? 'dpkg has nothing to complain of'

tests=$(sed -n 's/^Tests: //p' src/packaging/tests/control)
for user in root nobody; do
	for test in $tests; do
		rm -rf "$root/tmp/test"
		mkdir "$root/tmp/test"
		cp "src/packaging/tests/$test" "$root/tmp/test/script"
		chmod -R a+rX "$root/tmp/test"
		chroot "$root" chown -R "$user" /tmp/test
		inside su -s /bin/sh "$user" -c \
			'HOME=/tmp/test AUTOPKGTEST_TMP=/tmp/test /tmp/test/script'
		result $? "$test, as $user"
	done
done
rm -rf "$root/tmp/test"

packages=$(cd "$root/perftool" && for file in *.deb; do echo "${file%%_*}"; done)
# shellcheck disable=SC2086 # words
inside apt-get purge -y -q $packages && inside apt-get autoremove -y -q --purge
result $? 'apt removes them'
rm -rf "$root/perftool"
list | diff <(printf '%s\n' "$before") - >"$log"
result $? 'nothing is left of them'
rm -f "$log"
echo "1..$count"
[ "$failed" = 0 ]
