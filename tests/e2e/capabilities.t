#!/usr/bin/env bash
# The tool is root of a container: some capabilities are missing, and the
# process belongs to another user.
# tier: core
# covers: target/attach target/proc
. "$(dirname "$0")/../lib.sh"

chmod 755 "$SCRATCH" "$SCRATCH/work"
cp "$PROGRAMS/busy" busy

# another_user COMMAND...: starts the command as another user, and sets $pid
another_user() {
	start setpriv --reuid 65534 --regid 65534 --clear-groups "$@" >ready
	pid=$started
	wait_for 30 grep -q ready ready
}

another_user ./busy 2

# without CAPABILITIES COMMAND...: runs the command without these capabilities
without() {
	local lost=$1
	shift
	try setpriv --bounding-set="$lost" --inh-caps="$lost" "$@"
}

# lacks CAPABILITIES BIT: without these capabilities, this bit of CapEff is not
# set
lacks() {
	without "$1" sed -n 's/^CapEff:\t//p' /proc/self/status
	is "$((16#$out >> $2 & 1))" 0 "without $1: setpriv has removed the capability"
}

lacks -sys_resource 24
without -sys_resource perftool -q -n -p "$pid" --for 200ms \
	-e "set mechanism auto" -t work -f json -o t.json
is "$status $err" '0 ' 'without CAP_SYS_RESOURCE: attaching succeeds without a message'
is "$(mechanisms_once)" fast 'without CAP_SYS_RESOURCE: the nodes are jumps'
ok 'without CAP_SYS_RESOURCE: executions are counted' \
	[ "$(json 'time("work")["count"] > 10')" = True ]
is "$(foreign "$pid")" 0 'without CAP_SYS_RESOURCE: the code is restored after detaching'

lacks -sys_ptrace 19
without -sys_ptrace perftool -q -n -p "$pid" --for 200ms -t work
is "$status" 125 'without CAP_SYS_PTRACE: attaching is refused'
like "$err" 'belongs to user 65534 .*CAP_SYS_PTRACE' \
	'without CAP_SYS_PTRACE: the capability is named'

# It is the tool that makes its files, so the limit of the process does not matter,
# and that of the tool does.
another_user prlimit --fsize=4096 ./busy 2
without -sys_resource perftool -q -n -p "$pid" --for 200ms \
	-e "set mechanism auto" -t work -f json -o t.json
is "$status $(mechanisms_once) $err" '0 fast ' \
	'a process with a limit on file sizes: the nodes are jumps'
another_user ./busy 2
try prlimit --fsize=65536 perftool -q -n -p "$pid" --for 200ms \
	-e "set mechanism auto" -t work -f json -o t.json
is "$status $(mechanisms_once)" '0 int3' 'a tool with a limit on file sizes: the nodes are int3s'
like "$err" 'may not create a file .*ulimit -f' 'a tool with a limit on file sizes: the tool names the limit'

done_testing
