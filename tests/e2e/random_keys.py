#!/usr/bin/env python3
"""random_keys.py - random keys, resizes and signals at a prompt

usage: random_keys.py SEED COUNT TERM LOCALE KEYMAP [SITUATION]
       random_keys.py --time SECONDS [SEED]
       random_keys.py --suspend COUNT

Starts a prompt in a pseudo-terminal, presses COUNT random keys there, and then asks
for the value of an expression. Prints "answered", or what happened instead. KEYMAP is
emacs or vi. SITUATION is:

launch  perftool, with a program that has not run yet (this is the default)
attach  perftool, attached to a program that runs
ctl     perftool ctl, and a perftool that serves such a program

With --time, it does so until the time is over, with a random choice of all these for
each seed from SEED on, and prints a line for each session that has gone wrong, with
what repeats it, and at the end a line with what was done. The environment variable
LOCALES has the locales to choose from.

With --suspend, it presses Ctrl-Z COUNT times while the prompt starts a pager, at random
moments, and prints how often it answered after that.

The prompt is a job of a small shell (the function `lead`), because the kernel does not
suspend a process that has no shell. This shell continues the prompt at once. Its end is
written to a pipe.
"""
import fcntl
import os
import pty
import random
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

HOME = os.environ["HOME"]
PROGRAM = [os.environ.get("PROGRAMS", "build/tests/programs") + "/server", "1"]
TERMS = ["xterm", "vt100", "dumb", "xterm-256color", "screen", "linux", "vt52", "ansi",
         "rxvt", "sun", "no-such-terminal", ""]
KEYMAPS, SITUATIONS = ["emacs", "vi"], ["launch", "attach", "ctl"]
LOCALES = os.environ.get("LOCALES", "C C.UTF-8").split()
LONGEST = 90  # seconds for one answer, on a busy machine

# No key that ends the prompt: Ctrl-D, Ctrl-\. What is typed as text has no command that
# ends it, runs a program or writes a file, nor does a line of `LINES`.
CONTROL = [bytes([i]) for i in range(1, 32) if i not in (4, 28)]
PRINTABLE = [bytes([i]) for i in range(32, 128)]
TEXT = [bytes([i]) for i in b"abf0123 .,'\"\\:;()[]{}*@#$%^&~`?/+-=_"]
OTHERS = [b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1b[3~", b"\x1bO", b"\x1b[",
          "\u00f8".encode(), "\u00d8".encode(), "\u4e2d".encode(), "\u0301".encode(),
          b"\xf8", b"\xd8\xff", b"\x8e\xa1", b"\xa4\xa2", b"'\r", b" \r", b'"\r', b"\r"]
LINES = [b"help\r", b"help break\r", b"list br\t\t", b"print tables\r", b"show \t\t\r",
         b"time work\r", b"break work\r", b"continue\r", b"list functions *a*\r",
         b"history\r", b"monitor on\r", b"break\r", b"\x1b\x1b", b"delete \t"]
# Those that end no prompt. Ctrl-C and Ctrl-Z are among the keys, too.
SIGNALS = [signal.SIGINT, signal.SIGTSTP, signal.SIGWINCH, signal.SIGCONT,
           signal.SIGUSR1, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD,
           signal.SIGURG, signal.SIGTTIN, signal.SIGTTOU]
ENDS = [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]


def lead(command, report):
    """The shell: runs the command as a job, and continues it whenever it stops."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.close(report)
        os.execvp(command[0], command)
    try:
        os.setpgid(job, job)
    except OSError:
        pass
    os.tcsetpgrp(0, job)
    os.write(report, b"%d\n" % job)
    while True:
        try:
            status = os.waitpid(job, os.WUNTRACED)[1]
        except ChildProcessError:
            break
        if not os.WIFSTOPPED(status):
            os.write(report, b"ended %d\n" % os.waitstatus_to_exitcode(status))
            break
        os.tcsetpgrp(0, os.getpgrp())
        os.tcsetpgrp(0, job)
        os.killpg(job, signal.SIGCONT)
    os._exit(0)


class Prompt:
    def __init__(self, choose, command, environment, program):
        self.choose, self.shown, self.ended = choose, b"", None
        self.program = program
        reading, writing = os.pipe()
        self.shell, self.terminal = pty.fork()
        if self.shell == 0:
            os.environ.update(environment)
            os.close(reading)
            lead(command, writing)
        os.close(writing)
        self.report = reading
        self.said = b""
        while b"\n" not in self.said:
            self.said += os.read(reading, 100)
        self.job = int(self.said.split(b"\n")[0])

    def close(self):
        try:
            if self.ended is None:
                os.kill(self.job, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.close(self.terminal)
        os.close(self.report)
        os.waitpid(self.shell, 0)

    def has_ended(self):
        """Has the prompt ended, and how? The number is negative for a signal."""
        while self.ended is None and select.select([self.report], [], [], 0)[0]:
            data = os.read(self.report, 100)
            self.said += data
            if b"ended " in self.said:
                self.ended = int(self.said.split(b"ended ")[1])
            elif not data:
                self.ended = "lost"
        return self.ended is not None

    def read(self, timeout):
        if select.select([self.terminal, self.report], [], [], timeout)[0] and \
                select.select([self.terminal], [], [], 0)[0]:
            try:
                self.shown = self.shown[-65536:] + os.read(self.terminal, 65536)
                return True
            except OSError:
                pass
        return False

    def await_echo(self):
        """Until something answers to what was typed. (The kernel discards what is not
        read yet at a Ctrl-C.)"""
        end = time.monotonic() + 1
        while not self.shown and not self.has_ended() and time.monotonic() < end:
            self.read(0.1)

    def read_until(self, text, longest=LONGEST):
        """Reads until the text is shown. False: it is not, or the prompt has ended."""
        end = time.monotonic() + longest
        while text not in self.shown and time.monotonic() < end:
            if not self.read(1) and self.has_ended():
                return text in self.shown
        return text in self.shown

    def press(self, keys):
        """The terminal must not be full when the tool writes to it."""
        end = time.monotonic() + LONGEST
        while keys and not self.has_ended() and time.monotonic() < end:
            while self.read(0):
                pass
            if select.select([], [self.terminal], [], 0.1)[1]:
                keys = keys[os.write(self.terminal, keys[:64]):]

    def key(self):
        kind = self.choose.randrange(20)
        if kind < 6:
            return self.choose.choice(CONTROL)
        if kind < 10:
            return b"\x1b" + self.choose.choice(PRINTABLE + CONTROL)
        if kind < 15:
            return self.choose.choice(TEXT)
        return self.choose.choice(LINES if kind == 15 else OTHERS)

    def act(self):
        what = self.choose.randrange(50)
        if what == 0:
            size = struct.pack("HHHH", self.choose.randrange(0, 60),
                               self.choose.randrange(0, 150), 0, 0)
            fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, size)
        elif what == 1:
            self.send(self.choose.choice(SIGNALS))
        elif what == 2 and self.program:
            self.program.stdin.write(b"20\n")
            self.program.stdin.flush()
        self.press(self.key())

    def send(self, number):
        try:
            os.kill(self.job, number)
        except ProcessLookupError:
            pass

    def answers(self):
        """Does it answer? A key may have begun a search, which Ctrl-G ends, or a
        quotation of the next key. Ctrl-C ends the line, and a question whether the
        program is to be left; q ends a pager. The line may be lost, if a change of
        the terminal's modes discards what was typed: then it is typed again."""
        self.press(b"\x07\x07\x03\x03\rn\r\x03")
        for longest in range(8):
            number = 1000 + longest
            self.shown = b""
            self.press(b"q")
            self.await_echo()
            self.press(b"\x03\rn\r\x03evaluate 7 * %d\r" % number)
            if self.read_until(b"%d" % (7 * number), 1 << longest) or self.has_ended():
                return not self.has_ended()
        return False

    def end(self):
        """Ends it by a signal. Returns what is wrong with that, or None."""
        number = self.choose.choice(ENDS)
        self.send(number)
        end = time.monotonic() + LONGEST
        while not self.has_ended() and time.monotonic() < end:
            self.read(1)
        if self.ended in (-number, 128 + number):
            return None
        return "%s: %s" % (number.name, "ended with %s" % self.ended
                           if self.has_ended() else "no end")


class Session:
    """One session, with all that it needs, in a new folder."""

    def __init__(self, seed, count, term, locale, keymap, situation):
        self.args = seed, count, term, locale, keymap, situation
        self.choose = random.Random(seed)
        self.folder = tempfile.TemporaryDirectory()
        self.program = self.server = None
        self.environment = {
            "TERM": term, "LC_ALL": locale, "HOME": self.folder.name + "/home",
            "TMPDIR": self.folder.name + "/tmp", "XDG_RUNTIME_DIR":
            self.folder.name + "/run", "LESSSECURE": "1", "LESSHISTFILE": "-"}
        for name in "home", "tmp", "run", "work":
            os.mkdir(self.folder.name + "/" + name, 0o700)
        with open(self.folder.name + "/home/.editrc", "w") as file:
            file.write("bind -v\n" if keymap == "vi" else "bind -e\n")

    def start(self, command):
        """Starts a process that prints a line, and has a folder of its own."""
        child = subprocess.Popen(command, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, cwd=self.folder.name,
                                 env={**os.environ, **self.environment})
        child.stdout.readline()
        return child

    def command(self):
        situation = self.args[5]
        if situation == "launch":
            return ["perftool", "-q", "-n", "/bin/true"]
        if situation == "attach":
            self.program = self.start(PROGRAM)
            return ["perftool", "-q", "-n", "-p", str(self.program.pid)]
        self.server = self.start(["perftool", "serve", "-q", "-n"] + PROGRAM)
        run = self.folder.name + "/run/perftool"
        name = [file for file in os.listdir(run) if file.endswith(".sock")][0]
        return ["perftool", "ctl", name[:-len(".sock")]]

    def files(self):
        """The files that nobody has asked for."""
        found = []
        for path, _, names in os.walk(self.folder.name):
            found += [os.path.join(path, name) for name in names
                      if name not in (".editrc", ".perftool_history") and
                      not name.endswith(".sock")]
        return [name for name in found if "/run/" not in name and
                "/.cache/perftool/" not in name]

    def run(self):
        """Returns "answered", or what is wrong."""
        count = self.args[1]
        command = self.command()
        os.chdir(self.folder.name + "/work")
        prompt = Prompt(self.choose, command, self.environment,
                        self.program)
        os.chdir("/")
        try:
            problem = None
            if not prompt.read_until(b"perftool> "):
                problem = "no prompt"
            for _ in range(count):
                if prompt.has_ended():
                    break
                prompt.act()
            if not problem and not prompt.answers():
                problem = "ended with %s" % prompt.ended if prompt.has_ended() \
                    else "no answer"
            problem = problem or prompt.end() or self.harm()
            if problem:
                return "%s, %r" % (problem, prompt.shown[-300:])
            return "answered"
        finally:
            prompt.close()
            self.close()

    def harm(self):
        for child in self.program, self.server:
            if child and child.poll() is not None:
                return "the program or the server has ended with %d" % child.poll()
        if self.files():
            return "files were written: %s" % self.files()
        return None

    def close(self):
        for child in self.program, self.server:
            if child:
                child.terminate()
                child.wait()
                child.stdin.close()
                child.stdout.close()
        self.folder.cleanup()


def run_for(seconds, seed):
    end, sessions, wrong, keys = time.monotonic() + seconds, 0, 0, 0
    first = seed
    while time.monotonic() < end:
        choose = random.Random("choice %d" % seed)
        arguments = (seed, choose.choice([100, 600, 2000]), choose.choice(TERMS),
                     choose.choice(LOCALES), choose.choice(KEYMAPS),
                     choose.choice(SITUATIONS))
        result = Session(*arguments).run()
        if result != "answered":
            wrong += 1
            print("wrong: %s: %s" % (" ".join("'%s'" % a for a in arguments), result),
                  flush=True)
        sessions, keys, seed = sessions + 1, keys + arguments[1], seed + 1
        if sessions % 20 == 0:
            print("%d sessions, seeds %d to %d, %d keys, %d wrong" %
                  (sessions, first, seed - 1, keys, wrong), flush=True)
    print("%d sessions, seeds %d to %d, %d keys, %d wrong" %
          (sessions, first, seed - 1, keys, wrong), flush=True)
    return wrong != 0


def run_suspended(count):
    session = Session(0, 0, "xterm", "C", "emacs", "launch")
    prompt = Prompt(session.choose, session.command(), session.environment, None)
    fcntl.ioctl(prompt.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    prompt.read_until(b"perftool> ")
    answered = 0
    while answered < count:
        prompt.press(b"help\r")
        moment = time.monotonic() + random.random() * 0.006
        while time.monotonic() < moment:
            pass
        os.killpg(prompt.job, signal.SIGTSTP)
        for longest in range(6):
            prompt.press(b"q")
            prompt.read(0.1)
            prompt.shown = b""
            prompt.press(b"\x15evaluate 6 * 7\r")
            if prompt.read_until(b"\n42", 0.5 * (1 << longest)):
                break
        else:
            break
        answered += 1
    for child in os.popen("pgrep -P %d" % prompt.job).read().split():
        os.kill(int(child), signal.SIGKILL)
    prompt.close()
    session.close()
    print("answered %d times" % answered)


if sys.argv[1] == "--suspend":
    sys.exit(run_suspended(int(sys.argv[2])))
if sys.argv[1] == "--time":
    sys.exit(run_for(float(sys.argv[2]), int((sys.argv[3:] or [int(time.time())])[0])))
print(Session(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:6],
              (sys.argv[6:] or ["launch"])[0]).run())
