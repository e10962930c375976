#!/usr/bin/env bash
# Random keys at the prompt, with several terminals, locales and key maps, while the
# terminal changes its size: the tool lives, it still answers, and it writes no file.
# tier: core full
# covers: ui/prompt ui/terminal
. "$(dirname "$0")/../lib.sh"

cat >keys.py <<'END'
"""usage: keys.py SEED COUNT TERM LOCALE KEYMAP

Starts perftool in a pseudo-terminal, presses COUNT random keys, and then asks for
the value of an expression. Prints "answered", or what happened instead."""
import fcntl, os, pty, random, select, struct, sys, termios, time

seed, count = int(sys.argv[1]), int(sys.argv[2])
os.environ["TERM"], os.environ["LC_ALL"] = sys.argv[3:5]
with open(os.environ["HOME"] + "/.editrc", "w") as file:
    file.write("bind -v\n" if sys.argv[5] == "vi" else "bind -e\n")
choose = random.Random(seed)

# No key that ends or stops the tool: Ctrl-D, Ctrl-Z, Ctrl-\. What is typed as text has
# no command that ends it, runs a program or writes a file.
control = [bytes([i]) for i in range(1, 32) if i not in (4, 26, 28)]
printable = [bytes([i]) for i in range(32, 128)]
text = [bytes([i]) for i in b"abf0123 .,'\"\\:;()[]{}*@#$%^&~`?/+-=_"]
others = [b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1b[3~", b"\x1bO", b"\x1b[",
          "\u00f8".encode(), "\u00d8".encode(), "\u4e2d".encode(), b"\xf8", b"\xd8\xff",
          b"'\r", b" \r", b'"\r', b"\r"]

def key():
    kind = choose.randrange(10)
    if kind < 3:
        return choose.choice(control)
    if kind < 5:
        return b"\x1b" + choose.choice(printable + control)
    if kind < 8:
        return choose.choice(text)
    return choose.choice(others)

pid, terminal = pty.fork()
if pid == 0:
    os.execvp("perftool", ["perftool", "-q", "-n", "/bin/true"])
shown = b""

def read_until(text):
    """Reads until the text is shown. False: the tool has ended."""
    global shown
    end = time.monotonic() + 60
    while text not in shown and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                return False
            shown = shown[-65536:] + data
    return True

def read_what_is_there():
    """The terminal must not be full when the tool writes to it."""
    global shown
    while select.select([terminal], [], [], 0)[0]:
        try:
            shown = shown[-65536:] + os.read(terminal, 65536)
        except OSError:
            return

def press(keys):
    while keys:
        read_what_is_there()
        if select.select([], [terminal], [], 0.1)[1]:
            try:
                keys = keys[os.write(terminal, keys[:64]):]
            except OSError:
                return

read_until(b"perftool> ")
for _ in range(count):
    if choose.randrange(50) == 0:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ,
                    struct.pack("HHHH", choose.randrange(1, 60),
                                choose.randrange(1, 150), 0, 0))
    press(key())
# A key may have begun a search, which Ctrl-G ends, or a quotation of the next key.
# Ctrl-C ends the line, and a question whether the program is to be left.
press(b"\x07\x07\x03\x03\rn\r\x03")
lives = True
for number in range(1000, 1010):
    shown = b""
    press(b"\x03\rn\r\x03evaluate 7 * %d\r" % number)
    lives = read_until(b"%d" % (7 * number))
    if not lives or b"%d" % (7 * number) in shown:
        break
if lives and b"%d" % (7 * number) in shown:
    print("answered")
    os.kill(pid, 9)
    os.waitpid(pid, 0)
else:
    done, status = os.waitpid(pid, 0 if not lives else os.WNOHANG)
    print("seed %d: " % seed +
          ("ended with %d" % os.waitstatus_to_exitcode(status) if done
           else "no answer"), shown[-300:])
    if not done:
        os.kill(pid, 9)
END

number=0
for term in xterm vt100 dumb; do
	for locale in C C.UTF-8; do
		for map in emacs vi; do
			number=$((number + 1))
			one_in 4 || continue
			mkdir "$number" && cd "$number" || exit
			is "$(within 120 /usr/bin/python3 ../keys.py $((SEED * 100 + number)) \
				600 $term $locale $map)" answered \
				"random keys: $term, $locale, $map"
			is "$(ls -A)" '' "random keys: no file is written: $term, $locale, $map"
			cd ..
		done
	done
done
done_testing
