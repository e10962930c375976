#!/usr/bin/env bash
# shellcheck disable=SC2317 # the trap calls clean_up
# Run demo and check where this clone has never been: in a new Debian of the least kind,
# with nothing but git, gcc and make, to which tests/setup.sh adds what is missing.
#
# usage: tests/systems.sh [GOAL...]          (demo and check, if none is given)
#
# It needs root, debootstrap, and a mirror of Debian. SUITE= names another Debian than
# trixie (13), MIRROR= another mirror than that of this machine, CHROOT= a folder in which
# the Debian is kept for the next time, and PACKAGES= a folder into which the packages that
# the goal `deb` has built are copied.
set -u
cd "$(dirname "$0")/.." || exit 2
suite=${SUITE:-trixie}
[ $# -gt 0 ] || set -- demo check

[ "$(id -u)" = 0 ] || {
	echo 'check-systems: debootstrap and chroot need root' >&2
	exit 1
}
# The mirror and the keys that apt uses here.
mirror=${MIRROR:-$(sed -nE 's/^deb +(\[[^]]*\] +)?([^ ]+) .* main.*/\2/p
	s/^URIs: *([^ ]+).*/\1/p' /etc/apt/sources.list \
	/etc/apt/sources.list.d/* 2>/dev/null | head -n 1)}
mirror=${mirror:-http://deb.debian.org/debian}

root=${CHROOT:-}
[ "$root" ] || root=$(mktemp -d "${TMPDIR:-/tmp}/perftool-debian.XXXXXX") || exit 2
is_bound=
clean_up() {
	local folder
	for folder in dev/pts dev proc sys; do
		! mountpoint -q "$root/$folder" || umount -l "$root/$folder"
	done
	[ -z "$is_bound" ] || umount -l "$root"
	if [ -z "${CHROOT:-}" ]; then
		rm -rf --one-file-system "$root"
	else
		rm -rf "$root/home/perftool"
	fi
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

if [ ! -e "$root/usr/bin/git" ]; then
	echo "check-systems: making a Debian $suite in $root" >&2
	keys=()
	[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || keys=(--no-check-gpg)
	mkdir -p "$root"
	debootstrap --variant=minbase --include=git,gcc,make,ca-certificates \
		"${keys[@]}" "$suite" "$root" "$mirror" >"$root/log" 2>&1 || {
		tail -n 20 "$root/log" "$root/debootstrap/debootstrap.log" >&2
		echo "check-systems: debootstrap failed (above); is $mirror a mirror of Debian $suite?" >&2
		exit 1
	}
fi
# How apt reaches the mirror is a matter of this machine.
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
cp /etc/apt/apt.conf.d/*proxy* "$root/etc/apt/apt.conf.d/" 2>/dev/null
# Tests change mounts in a namespace of their own, for which the root must be one.
mountpoint -q "$root" || { mount --bind "$root" "$root" && is_bound=yes; }
for folder in dev dev/pts proc sys; do
	mkdir -p "$root/$folder"
	mountpoint -q "$root/$folder" || mount --bind "/$folder" "$root/$folder"
done

rm -rf "$root/home/perftool"
git clone -q . "$root/home/perftool" || exit 1
status=0
for goal in "$@"; do
	begin=$SECONDS
	ended=passed
	chroot "$root" env -i HOME=/root TERM="${TERM:-dumb}" LC_ALL=C.UTF-8 \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		make -C /home/perftool "$goal" || ended=FAILED status=1
	echo "check-systems: Debian $suite: make $goal: $ended, $((SECONDS - begin)) s"
done
if [ "${PACKAGES:-}" ] && [ $status = 0 ]; then
	mkdir -p "$PACKAGES" && rm -f "$PACKAGES"/*.deb &&
		cp "$root"/home/perftool/build/*.deb "$PACKAGES" || status=1
fi
exit $status
