#!/usr/bin/env bash
# Names of files that the tool writes: %p is the process, %h the machine, %r the
# rank. The ending of -o chooses the form. Two tools do not write one file.
# tier: full
# covers: base ui
. "$(dirname "$0")/../lib.sh"
ranks=$PROGRAMS/ranks
# a rank may be there because this test itself was started by a launcher
for variable in OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK MPT_MPI_RANK PMIX_RANK PMI_RANK \
	PALS_RANKID ALPS_APP_PE JSM_NAMESPACE_RANK FLUX_TASK_RANK SLURM_PROCID; do
	unset "$variable"
done

# files: prints the names of all files here, hidden ones too
files() {
	find . -mindepth 1 ! -name '*.c' -printf '%P\n' | sort | tr '\n' ' '
}

# measure OPTION... -- PROGRAM...: times `solve`
measure() {
	try perftool -q -n -t solve "$@"
}

# ---- -o ----
measure -o 'p-%p.json' "$ranks"
is "$status" 0 '%p in -o: status'
name=$(files)
is "$name" "$(printf 'p-%s.json ' "$(json 't["program"]["pid"]' "${name% }")")" \
	'%p in -o: the file is named for the process of the program, and no other is left'
is "$(json 't["rank"]' "${name% }")" None 'without a launcher the rank in JSON is null'
rm -f ./*
PMI_RANK=3 measure -o 'a%%b-%h-%r.json' "$ranks" PMI_RANK
is "$(files)" "a%b-$(uname -n)-3.json " '%h, %r and %% in -o'
is "$(json 't["rank"], leg(0)["count"]' ./a*.json)" '3 40' 'JSON has the rank'
rm -f ./*
PMI_RANK=3 measure -f csv -o 'c-%r-%p.csv' "$ranks" PMI_RANK
is "$(files | sed 's/c-3-[0-9]*-/c-3-N-/g')" \
	'c-3-N-by.csv c-3-N-histograms.csv c-3-N-legs.csv c-3-N-nodes.csv ' \
	'%p and %r in -o of CSV'
rm -f ./*
for variable in OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK MV2_COMM_WORLD_RANK SLURM_PROCID; do
	try env "$variable=12" perftool -q -n -t solve -o 'r-%r.json' "$ranks"
	is "$(json 't["rank"]' r-12.json)" 12 "$variable is a rank"
	rm -f ./*
done
try env SLURM_PROCID=0 OMPI_COMM_WORLD_RANK=7 perftool -q -n -t solve -o 'r-%r.json' "$ranks"
is "$(files)" 'r-7.json ' 'mpirun in a job of Slurm: the rank is that of mpirun'
rm -f ./*

# ---- what the names cannot be ----
fails_with 125 "r-%r: .%r. is the rank.*OMPI_COMM_WORLD_RANK.*SLURM_PROCID.*launcher" \
	'%r without a rank' perftool -q -n -t solve -o 'r-%r' "$ranks"
fails_with 125 "r-%x: .%x. stands for nothing; there are %p .*%h .*%r .*%% " \
	'%x' perftool -q -n -t solve -o 'r-%x' "$ranks"
fails_with 125 "100%: .%. stands for nothing" 'a % at the end' \
	perftool -q -n -t solve -o '100%' "$ranks"
fails_with 125 'the folder must be there before' '%p in the name of a folder' \
	perftool -q -n -t solve -o '%p/r' "$ranks"
fails_with 125 'cannot write .*No such file' '%p in a folder that is not there' \
	perftool -q -n -t solve -o 'nosuch/%p' "$ranks"
fails_with 127 'nosuch' 'a program that is not there: the status is 127 as ever' \
	perftool -q -n -t solve -o '%p.txt' ./nosuch
is "$(files)" '' 'nothing is left of these'

# ---- commands ----
export PMI_RANK=5
# shellcheck disable=SC2016 # $pid is perftool's
for command in 'save tables' trace log 'print legs >'; do
	try perftool -q -n -e 'time solve' -e 'break main' -e run -e "$command x-%r-%p.json" \
		-e continue -e 'evaluate $pid' "$ranks"
	name=$(files)
	like "$name" '^x-5-[0-9]+\.json $' "$command: %r and %p"
	rm -f ./*
done
try perftool -q -n -e 'profile calls' -e 'profile on' -e run -e 'save profile x-%r.folded' \
	-e 'save functions y-%r.csv' "$ranks"
is "$(files)" 'x-5.folded y-5.csv ' 'save profile, save functions: %r'
rm -f ./*
fails_with 125 '%p. is the number of the measured process, and there was none yet' \
	'trace x-%p before there is a process' \
	perftool -q -n -e 'time solve' -e 'trace x-%p.csv' -e run "$ranks"
fails_with 125 '%q. stands for nothing' 'save tables x-%q.json' \
	perftool -q -n -e 'save tables x-%q.json' "$ranks"
is "$(files)" '' 'nothing is left of these'
unset PMI_RANK

# ---- a process that runs already ----
PMI_RANK=9 serve "$PROGRAMS/server" 1
try perftool -q -n --for 10ms -t work -o 'a-%r-%p.json' -p "$server"
is "$(files | tr ' ' '\n' | grep json)" "a-9-$server.json" \
	'-p: %p and %r are those of the process'
is "$(json 't["rank"]' "a-9-$server.json")" 9 '-p: the rank in JSON is that of the process'
end_server
rm -f ./*

# ---- two tools and one file ----
# measure_server FILE: starts a tool on the server, and waits until it has measured
# some work: its breakpoint is there long after the tool has attached
measure_server() {
	start perftool -q -n -t work -o "$1" -p "$server" 2>"$SCRATCH/first"
	tool=$started
	wait_for "$LIMIT" has_patch "$server" "$work"
	ask 7
}
work=$(address_of work "$PROGRAMS/server")
serve "$PROGRAMS/server" 1
for form in json csv; do
	measure_server "same.$form"
	fails_with 125 'cannot write same.*: another perftool is writing it; give each its own' \
		"a second tool with the same -o, $form" \
		perftool -q -n -t solve -o "same.$form" "$ranks"
	end_tool INT
	is "$status $(<"$SCRATCH/first")" '0 ' "$form: the first tool ends well"
done
is "$(json 'leg(0)["name"], leg(0)["count"]' same.json)" 'work 7' \
	'the file of the first one is whole'
like "$(<same-legs.csv)" $'\n.*work.*,7,' 'CSV: the file of the first one is whole'
rm -f same*
# SIGINT comes while the tool waits for its commands: nothing is measured yet
mkfifo script
start perftool -q -n -x script -o same.json -p "$server" 2>"$SCRATCH/first"
tool=$started
exec 5>script
wait_for "$LIMIT" test -e same.json
end_tool INT
exec 5>&-
is "$status" 130 'interrupted before it measures: status'
like "$(<"$SCRATCH/first")" 'interrupted; nothing was measured, and same.json was not written' \
	'interrupted before it measures: perftool says that the file was not written'
is "$(files)" 'in out script ' 'and there is no such file'
end_server
rm -f ./*

# ---- the home directory ----
mkdir home
echo 'print nodes > ~/nodes.txt' >home/more.pt
try env HOME="$PWD/home" perftool -q -n -b -e "file ~/$(realpath --relative-to=home "$ranks")" \
	-e 'time solve' -e 'log ~/log.txt' -e 'trace ~/trace.json' -e run -e 'source ~/more.pt' \
	-e 'save tables ~/t.json' -e 'save report ~/r.html'
is "$status $(cd home && echo ./*)" '0 ./log.txt ./more.pt ./nodes.txt ./r.html ./t.json ./trace.json' \
	'a tilde in the names of commands is the home directory'
rm -rf home

# ---- the ending chooses the form ----
form() {
	case $(head -c 2 "$1") in
	'{'*) echo json ;;
	*) echo text ;;
	esac
}
for name in x.json x.JSON x.txt x x.jsonl; do
	measure -o "$name" "$ranks"
	wanted=text
	[[ ${name,,} != *.json ]] || wanted=json
	is "$status $err $(form "$name")" "0  $wanted" "-o $name"
done
measure -f text -o x.json "$ranks"
is "$(form x.json)" text '-f text -o x.json: -f comes first'
measure -o x.html "$ranks"
like "$status $(form x.html) $err" '^0 text .*the report in x.html will be text; .*save report x.html' \
	'-o x.html: perftool says that it is text, and how to write a page'
try perftool -q -n -b -o x.html sh -c 'echo started >&2'
like "$err" 'x.html will be text.*started' '-o x.html: it says so before the program runs'
rm -f ./*
measure -f json -o one.json "$ranks"
measure -o x.svg "$ranks"
like "$status $(form x.svg) $err" '^0 text .*x.svg will be text; .*save plot x.svg' \
	'-o x.svg: the same of a figure'
for words in 'merge -o x.html one.json' 'compare -o x.html one.json one.json' \
	"-q -r 2 -t solve -o x.html $ranks"; do
	read -ra command <<<"$words"
	try perftool "${command[@]}"
	like "$status $err" '^0 .*x.html will be text; pages are written of one run' \
		"${command[0]} -o x.html: perftool says that it is text"
done
rm -f ./*
measure -o y.csv "$ranks"
is "$(files)" 'y-by.csv y-histograms.csv y-legs.csv y-nodes.csv ' '-o y.csv'
rm -f ./*
try perftool -q -n -b -e 'time solve' -e run -o z.json "$ranks"
like "$err" 'the ending .json has no effect: commands have run the program' \
	'-o z.json where commands have run the program'
try perftool -q -n -b -e 'time solve' -e run -e 'set format json' -e 'print tables' -o z.json "$ranks"
is "$err $(form z.json)" ' json' '-o z.json where commands have printed JSON'
fails_with 125 'a name in .csv makes a file for each table' '--every -o x.csv' \
	perftool -q -n -t solve --every 1s -o x.csv "$ranks"
done_testing
