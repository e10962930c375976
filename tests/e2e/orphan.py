"""orphan.py - runs a command in an orphaned process group in the background of a terminal.

usage: orphan.py COMMAND [ARGUMENT...]

The leader of the session has the terminal. Its child makes the process of the
command, puts it into a process group of its own, and ends. No process outside
the group, but in the session, is then the parent of one inside it, so the group
is orphaned. Prints what the command writes to the terminal; ends when the
command has ended.
"""
import os
import pty
import select
import signal
import sys


def run_command(gone, ended):
    """The process of the command: waits until its parent has ended."""
    os.read(gone, 1)
    os.set_inheritable(ended, True)
    os.execvp(sys.argv[1], sys.argv[1:])


def lead_session(ended):
    gone, present = os.pipe()
    parent = os.fork()
    if parent == 0:
        child = os.fork()
        if child == 0:
            os.close(present)
            run_command(gone, ended)
        os.setpgid(child, child)
        os._exit(0)
    os.waitpid(parent, 0)
    os.close(present)
    os.close(ended)
    signal.pause()


def main():
    end, ended = os.pipe()
    leader, terminal = pty.fork()
    if leader == 0:
        lead_session(ended)
    os.close(ended)
    while True:
        readable, _, _ = select.select([end, terminal], [], [])
        if terminal in readable:
            os.write(1, os.read(terminal, 65536))
        elif end in readable:
            break
    os.kill(leader, signal.SIGKILL)


main()
