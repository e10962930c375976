# solving.sh - for the file `solution` of each lab: `. "$(dirname "$0")/../solving.sh"`
#
# A solution is called with the name of the report to write. $report is that
# name, and $programs is the folder of the labs' programs: $LABS if it is set,
# else build/labs of the project, else build/ beside the labs.
#
# shellcheck shell=sh
set -eu

if [ $# -ne 1 ]; then
	echo "usage: $0 REPORT.json" >&2
	exit 2
fi
# shellcheck disable=SC2034 # for the solutions
report=$1

labs=$(cd "$(dirname "$0")/.." && pwd)
programs=${LABS:-$labs/../../build/labs}
[ -d "$programs" ] || programs=$labs/build
if ! command -v perftool >/dev/null; then
	PATH=$labs/../../build:$PATH
fi
