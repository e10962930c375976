#!/usr/bin/env bash
# Prints the files that have changed since the main line: in commits, in the work tree,
# and new ones. On the main line itself nothing has changed; with --or-recent, what the
# commits of its last day have changed is printed then.
set -u
cd "$(dirname "$0")/.." || exit 2
git rev-parse --git-dir >/dev/null 2>&1 || exit 0

base=$(git merge-base HEAD '@{upstream}' 2>/dev/null ||
	git merge-base HEAD origin/HEAD 2>/dev/null ||
	git rev-parse HEAD 2>/dev/null) || exit 0
if [ "${1:-}" = --or-recent ] && [ "$base" = "$(git rev-parse HEAD)" ]; then
	last=$(git log -1 --format=%ct)
	base=$(git rev-list -1 --before="$((last - 86400))" HEAD)
	# (a clone without history)
	[ "$base" ] || base=$(git hash-object -t tree /dev/null)
fi
{
	git diff --name-only "$base"
	git ls-files --others --exclude-standard
} | sort -u
