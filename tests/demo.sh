#!/usr/bin/env bash
# A first look: the sample session of the Mesa memo, measured here and now.
# usage: tests/demo.sh BUILD
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:?usage: tests/demo.sh BUILD}

echo "\$ $build/perftool -b -x samples/swapper.pt $build/samples/swapper"
exec "$build/perftool" -q -n -b -o - -x samples/swapper.pt \
	"$build/samples/swapper"
