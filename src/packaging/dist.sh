#!/usr/bin/env bash
# Write perftool-VERSION.tar.xz, the source as it is published.
#
# usage: src/packaging/dist.sh VERSION DATE FOLDER
#
# The same source gives the same bytes, whatever the date, the umask, the time
# zone, the owner and the order of files in their folders are, and whether git
# knows the files or the source was itself unpacked from such an archive. DATE is
# the time of modification of all files.
set -eu
cd "$(dirname "$0")/../.."
version=$1 date=$2 folder=$3
export LC_ALL=C TZ=UTC

# In a clone: the files that git knows, as they are now. Elsewhere: all files but
# those that builds, tests and editors make.
files() {
	if [ -e .git ]; then
		git ls-files -z | while IFS= read -r -d '' file; do
			[ ! -e "$file" ] || printf '%s\0' "$file"
		done
	else
		find . \( -path './build' -o -path './build-*' -o -path ./debian -o \
			-name __pycache__ \) -prune -o \
			\( -type f -o -type l \) ! -name '*~' ! -name '.*.sw?' \
			! -path ./compile_commands.json -printf '%P\0'
	fi
}

mkdir -p "$folder"
archive=$folder/perftool-$version.tar.xz
files | sort -z | tar --create --null --no-recursion --files-from=- \
	--format=gnu --owner=0 --group=0 --numeric-owner --mtime="$date 00:00:00" \
	--mode='u=rwX,go=rX' --transform "s,^,perftool-$version/," |
	xz --threads=1 -6 >"$archive.new"
mv "$archive.new" "$archive"
echo "$archive"
