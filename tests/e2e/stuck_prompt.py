"""stuck_prompt.py - a signal to a prompt whose terminal takes no output

usage: stuck_prompt.py END COMMAND...

Starts the command in a pseudo-terminal, presses keys and reads nothing, and sends SIGWINCH when
the terminal takes no more of what the prompt writes. Then it reads all that was
written, and ends the prompt by `quit`; or, unless END is "quit", it ends the prompt by
this signal, and reads only then. Prints the status of the command."""
import os
import pty
import select
import signal
import sys
import time

pid, terminal = pty.fork()
if pid == 0:
    os.environ["TERM"] = "dumb"
    os.execvp(sys.argv[2], sys.argv[2:])


shown = b""


def read_until(text):
    """Reads up to the end of this text, or to the end of all."""
    global shown
    while text not in shown:
        try:
            shown = shown[-100:] + os.read(terminal, 65536)
        except OSError:
            return
    shown = shown[shown.index(text) + len(text):]


def is_writable():
    return select.select([], [terminal], [], 0)[1]


def is_stuck():
    """Does the prompt sleep in write(2)?"""
    with open("/proc/%d/syscall" % pid) as file:
        return file.read().split()[:2] == ["1", "0x1"]


def waits_for_room():
    """Does it wait in ppoll(2) for one file? (For keys, it waits for two.)"""
    with open("/proc/%d/syscall" % pid) as file:
        call = file.read().split()
    return (call[0], call[2:3]) == ("271", ["0x1"])


def type_until_stuck():
    """Each tab lists the commands."""
    while not is_stuck():
        if is_writable():
            os.write(terminal, b"\t")
        else:
            time.sleep(0.001)


def has_signal(number):
    with open("/proc/%d/status" % pid) as file:
        pending = [line for line in file if line.startswith("ShdPnd:")][0]
    return int(pending.split()[1], 16) >> (number - 1) & 1


read_until(b"perftool> ")
type_until_stuck()
# The kernel has written a part of the text for which it got the first signal, and the
# write succeeds. At the second, the write fails.
for _ in range(2):
    os.kill(pid, signal.SIGWINCH)
    while has_signal(signal.SIGWINCH) or not (is_stuck() or waits_for_room()):
        time.sleep(0.001)
if sys.argv[1] == "quit":
    while not is_writable():
        os.read(terminal, 65536)
    os.write(terminal, b"\rquit\r")
else:
    os.kill(pid, getattr(signal, sys.argv[1]))
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
read_until(b"\0")
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
