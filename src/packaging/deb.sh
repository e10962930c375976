#!/usr/bin/env bash
# Build the Debian packages from the archive of dist.sh, and check them by lintian.
#
# usage: src/packaging/deb.sh VERSION DATE FOLDER
#
# DEBFULLNAME and DEBEMAIL say who the maintainer of the packages is.
#
# The packages come to FOLDER, and the source package, too. The work is done in
# FOLDER/deb. Nothing of this clone gets into the packages but by the archive, and
# DATE is the date of all that is in them: so the same source gives the same bytes.
set -eu
cd "$(dirname "$0")/../.."
version=$1 date=$2
folder=$(mkdir -p "$3" && cd "$3" && pwd)
export LC_ALL=C.UTF-8 TZ=UTC
umask 022

src/packaging/dist.sh "$version" "$date" "$folder" >/dev/null
work=$folder/deb
rm -rf "$work"
mkdir "$work"
cp "$folder/perftool-$version.tar.xz" "$work/perftool_$version.orig.tar.xz"
tar -xf "$work/perftool_$version.orig.tar.xz" -C "$work"
source=$work/perftool-$version
mkdir "$source/debian"
cp -r src/packaging/. "$source/debian"
rm "$source"/debian/{dist.sh,deb.sh}
maintainer="${DEBFULLNAME:-The perftool authors} <${DEBEMAIL:-perftool@example.org}>"
for file in control changelog; do
	sed -e "s/@VERSION@/$version/" -e "s/@DATE@/$(date -d "$date" -R)/" \
		-e "s/@MAINTAINER@/$maintainer/" \
		"src/packaging/$file.in" >"$source/debian/$file"
	rm "$source/debian/$file.in"
done
chmod +x "$source"/debian/rules "$source"/debian/tests/*

echo "deb: building takes minutes; what it says is in $work/log" >&2
# Flags of the make that has called this script are not for that of the package.
(cd "$source" && env -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage \
	--no-sign "--jobs=${JOBS:-$(nproc)}") >"$work/log" 2>&1 || {
	tail -n 40 "$work/log" >&2
	echo "deb: the build has failed; all that it said is in $work/log" >&2
	exit 1
}
lintian --fail-on error,warning --tag-display-limit 0 --allow-root --info \
	"$work/perftool_$version"-*_amd64.changes
cd "$work"
rm -f ../*.deb
cp -- *.deb *.dsc *.debian.tar.xz "perftool_$version.orig.tar.xz" ..
for package in *.deb; do
	echo "$3/$package"
done
