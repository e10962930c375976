#!/usr/bin/env bash
# SETDETAIL of thousands of functions: in, out, suspended, and in again, while
# the program executes them. Every call counts while the nodes are in, and
# nothing of them is in the program while they are out.
# tier: full
# covers: operations/details session/requests probe/request
# again: int3
. "$(dirname "$0")/../lib.sh"

export PYTHONPATH=$ROOT/tests
socket=$SCRATCH/socket

serve "$PROGRAMS/crowd" 2
is "$reply" ready 'the program starts'
start perftool serve -q -n --socket "$socket" -e 'set mechanism auto' \
	-p "$server" 2>said
tool=$started
wait_for 20 test -S "$socket" || fail 'there is no socket'

cat >details.py <<'END'
import sys
from front_end import Json

js = Json(sys.argv[1])
js.file.settimeout(120)
tool = sys.argv[2]


def times(n):
    """How often a round calls crowd_N()."""
    return 1 + (n + n // 10) % 7


def detail(on, *items):
    reply = js.call("setdetail", detail=[{"item": item, "value": on}
                                         for item in items])
    return sum(d["functions"] for d in reply["result"]["detail"])


def monitor(on):
    js.call("set", var=[{"name": "MONITOR", "value": on}])


def rows(kind):
    return js.call("report")["result"][kind]


def wrong(rounds):
    """The legs that have not counted this many rounds. (A function whose number
    ends in 5 begins with a loop, which is an entry each time.)"""
    return [leg["name"] for leg in rows("legs") if leg["name"][-1] != "5" and
            leg["count"] != rounds * times(int(leg["name"].split("_")[1]))]


def cpu():
    """What the tool has taken, in clock ticks."""
    stat = open(f"/proc/{tool}/stat").read().rsplit(")", 1)[1].split()
    return int(stat[11]) + int(stat[12])


END

# front_end NAME EXPECTED: what the program on standard input prints
front_end() {
	{ cat details.py && cat; } >program.py
	/usr/bin/python3 program.py "$socket" "$tool" >printed 2>&1
	is "$(cat printed)" "$2" "$1"
}
before=$(foreign "$server")

# (The program waits, so that the tool does nothing else.)
front_end 'thousands of functions get nodes, and lose them with less work' \
	'3333 0 True True' <<'END'
classes = ("crowd_1*", "crowd_2*", "crowd_3*")
at = [cpu()]
functions = detail(True, *classes)
at.append(cpu())
out = detail(False, *classes)
at.append(cpu())
detail(True, *classes)
at.append(cpu())
detail(False, *classes)
made, taken_out, put_back = (b - a for a, b in zip(at, at[1:]))
print(functions, out, taken_out < made / 2, put_back < made / 2)
END
ask go
is "$reply" going 'the program executes ten thousand functions all the time'
front_end 'they get and lose nodes meanwhile, too' '3333 0' <<'END'
classes = ("crowd_1*", "crowd_2*", "crowd_3*")
print(detail(True, *classes), detail(False, *classes))
END
is "$(foreign "$server")" "$before" 'nothing of them is left in the program'
ask stop
like "$reply" '^[0-9]+ rounds, right$' 'which has computed right'

front_end 'what has counted nothing has no row' '0 0' <<'END'
js.call("command", line="zero tables")
print(len(rows("legs")), len(rows("nodes")))
END
front_end 'functions are put back by their numbers' '1111 True' <<'END'
functions = detail(True, "crowd_1*")
print(functions, max(leg["id"] for leg in rows("legs")) < 3333)
END
says 2 '4 rounds, right' 'the program executes them'
front_end 'every call is counted' '[]' <<'END'
print(wrong(4))
END
front_end 'they are suspended' '1111' <<'END'
monitor(False)
print(len(rows("legs")))
END
is "$(foreign "$server")" "$before" 'nothing of suspended nodes is in the program'
says 3 '6 rounds, right' 'the program goes on'
front_end 'they have counted nothing meanwhile' '[]' <<'END'
print(wrong(4))
monitor(True)
END
says 1 '2 rounds, right' 'the program goes on'
front_end 'and count again' '[]' <<'END'
print(wrong(6))
END
front_end 'rows of what has counted stay' '1111 [] True False' <<'END'
detail(False, "crowd_1*")
breaks = js.call("command", line="list breaks")["result"]["output"]
print(len(rows("legs")), wrong(6), all(n["deleted"] for n in rows("nodes")),
      "crowd_1" in breaks)
END
says 1 '2 rounds, right' 'the program goes on'
front_end 'they do not count while they are out, and count on in the same rows' \
	'[] 1111 1111 True' <<'END'
idle = wrong(6)
functions = detail(True, "crowd_1*")
print(idle, functions, len(rows("legs")),
      not any(n["deleted"] for n in rows("nodes")))
END
says 1 '2 rounds, right' 'the program goes on'
front_end 'and count on' '[]' <<'END'
print(wrong(8))
END

end_tool INT
is "$status" 0 'the tool ends'
is "$(foreign "$server")" 0 'nothing of it is left in the program'
says 1 '2 rounds, right' 'which goes on'
end_server

done_testing
