#!/usr/bin/env bash
# make dist: the same source gives the same archive, wherever and whenever it is
# made, and all that the tests need is in it.
# tier: full
# covers: packaging Makefile
. "$(dirname "$0")/../lib.sh"

version=$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")
name=perftool-$version
try make -C "$ROOT" -s --no-print-directory dist DIST="$PWD/one"
is "$status $out" "0 $PWD/one/$name.tar.xz" 'make dist ends with status 0 and names the archive'
archive=one/$name.tar.xz
try tar -xf "$archive"
is "$status" 0 'the archive can be unpacked'
is "$(tar -tf "$archive" | grep -cv "^$name/")" 0 'all is in one folder'
is "$(tar -tvf "$archive" | awk '{ print $2, $4 }' | sort -u)" \
	"0/0 $(sed -n 's/^DATE := //p' "$ROOT/Makefile")" 'all files have one owner and one date'

# What is not in the archive: git's own files, and what builds make.
different() { # FOLDER: names of what is only here, or only there, or different
	diff -rq --exclude=.git --exclude='build' --exclude='build-*' --exclude=__pycache__ \
		"$1" "$name"
}
if [ -e "$ROOT/.git" ] && git -C "$ROOT" ls-files >known 2>/dev/null; then
	is "$(tar -tf "$archive" | sed "s,^$name/,,")" \
		"$(cd "$ROOT" && while read -r file; do
			[ ! -e "$file" ] || echo "$file"
		done <"$SCRATCH/work/known" | LC_ALL=C sort)" 'the archive has the files that git knows'
else
	is "$(different "$ROOT")" '' 'the archive has the files of the folder'
fi
# what tests/run.sh and the setup begin with
for file in Makefile tests/run.sh tests/setup.sh tests/lib.sh .clang-format doc/start.md; do
	ok "the archive has $file" [ -e "$name/$file" ]
done
ok 'and what may be executed can be' [ -x "$name/tests/run.sh" ]

# Without git, copied in another order, by another umask, in another time zone,
# and with what a build and an editor have left behind.
(
	umask 077
	mkdir other
	cd "$name" || exit
	find . -type f | sort -r | cpio --quiet -pdm ../other 2>/dev/null ||
		find . -type f | sort -r | xargs -d '\n' cp --parents -t ../other
	chmod -R go-rwx ../other
)
mkdir -p other/build/obj other/tests/__pycache__
touch other/build/obj/main.o other/tests/__pycache__/x.pyc other/README.md~
find other -name '*.c' -exec touch -d '1999-01-01' {} +
(
	umask 077
	export TZ=Asia/Tokyo LC_ALL=C
	make -C other -s --no-print-directory dist DIST="$PWD/two" >/dev/null
)
ok 'an archive made from the archive has the same bytes' cmp "$archive" "two/$name.tar.xz"
done_testing
