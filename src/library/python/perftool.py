"""perftool - measures how long it takes from here to there in native programs

    import perftool

    with perftool.Session() as session:
        session.launch("./server", "--port", "80")
        session.command("time handle_request")
        session.run(10)                       # seconds; without: to its end
        leg = session.leg(0)
        print(leg.count, leg.mean, leg.quantile(0.99))

The module is a thin layer over libperftool (perftool.h), which does the work in
a thread of its own. Times are seconds, as everywhere in Python. Figures of legs
and nodes are values: they stay as they are when the program runs on. Names that
the measured program has chosen can have characters that a terminal takes as
orders. print() shows '?' in their place.

The library is the one that the environment variable LIBPERFTOOL names, else
libperftool.so.0 where the system finds it.
"""
import _thread
import atexit
import ctypes
import json
import math
import os
import threading
import weakref
from collections import namedtuple

__all__ = ["Session", "Leg", "Node", "Bucket", "Error", "Interrupted",
           "spy_start", "spy_stop", "spy_command", "version"]

_NS = 1e9


class Error(Exception):
    """What the library could not do; `code` is its enum perftool_error_code."""

    def __init__(self, message, code=0):
        super().__init__(message)
        self.code = code


class Interrupted(Error):
    """Session.interrupt() has ended a run or a command."""


Bucket = namedtuple("Bucket", "start end count")
Bucket.__doc__ = "So many values from `start`, less than `end`."

Node = namedtuple("Node", "id count errors location function file line buckets")
Node.__doc__ = "A node: a breakpoint that counts. `line` 0: not known."


class Leg(namedtuple("Leg", "id name start end count total min max mean stddev "
                            "quantiles buckets")):
    """A leg: the code from one node to another. Times in seconds.

    `quantiles` has the times below which 0 %, 1 % ... 100 % of the executions
    stay; `buckets` is the distribution.
    """

    def quantile(self, part):
        """The time below which the part (0 to 1) of the executions stays."""
        if not 0 <= part <= 1:
            raise ValueError(f"{part} is no part: it is from 0 to 1")
        number = sum(bucket.count for bucket in self.buckets)
        left = max(1, math.ceil(part * number))
        for bucket in self.buckets:
            left -= bucket.count
            if left <= 0:
                # Times are whole ns. So a part of 1 ns has one value.
                is_one = (bucket.end - bucket.start) * _NS < 1.5
                value = (bucket.start if is_one
                         else (bucket.start + bucket.end) / 2)
                return min(max(value, self.min), self.max)
        return 0.0


class _Bucket(ctypes.Structure):
    _fields_ = [("start", ctypes.c_double), ("end", ctypes.c_double),
                ("count", ctypes.c_uint64)]


class _Event(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("text", ctypes.c_char_p),
                ("elapsed_ns", ctypes.c_uint64), ("hits", ctypes.c_uint64)]


_Handler = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_Event))
_EVENTS = ("note", "stop", "progress", "report", "dump")
_INTERRUPTED = 9

_p, _text = ctypes.c_void_p, ctypes.c_char_p
_buckets = ctypes.POINTER(ctypes.POINTER(_Bucket))
_texts = ctypes.POINTER(ctypes.c_char_p)
_pointer = ctypes.POINTER(ctypes.c_void_p)

# The functions of perftool.h: result, then parameters. A function whose result
# is _p returns an error.
_FUNCTIONS = {
    "perftool_version": (_text,),
    "perftool_printable": (_p, _text),
    "perftool_error_code": (ctypes.c_int, _p),
    "perftool_error_message": (_text, _p),
    "perftool_error_destroy": (None, _p),
    "perftool_session_create": (_p, _pointer),
    "perftool_session_close": (_p, _p),
    "perftool_session_destroy": (None, _p),
    "perftool_session_launch": (_p, _p, _text, _texts, _texts),
    "perftool_session_attach": (_p, _p, ctypes.c_int),
    "perftool_session_command": (_p, _p, _text, _pointer),
    "perftool_session_operation": (_p, _p, _text, _pointer),
    "perftool_session_run": (_p, _p, ctypes.c_int64),
    "perftool_session_detach": (_p, _p, _pointer),
    "perftool_session_end": (_p, _p, _pointer),
    "perftool_session_set": (_p, _p, _text, _text),
    "perftool_session_complete": (_p, _p, _text,
                                  ctypes.POINTER(ctypes.c_size_t),
                                  ctypes.POINTER(_texts)),
    "perftool_words_destroy": (None, _texts),
    "perftool_session_interrupt": (None, _p),
    "perftool_session_pid": (_p, _p, ctypes.POINTER(ctypes.c_int)),
    "perftool_session_exit_status": (_p, _p, ctypes.POINTER(ctypes.c_int)),
    "perftool_session_tables": (_p, _p, _pointer),
    "perftool_session_on_event": (_p, _p, _Handler, _p),
    "perftool_session_leg": (_p, _p, ctypes.c_uint32, _pointer),
    "perftool_session_leg_at": (_p, _p, ctypes.c_size_t, _pointer),
    "perftool_session_node": (_p, _p, ctypes.c_uint32, _pointer),
    "perftool_session_node_at": (_p, _p, ctypes.c_size_t, _pointer),
    "perftool_leg_id": (ctypes.c_uint32, _p),
    "perftool_leg_name": (_text, _p),
    "perftool_leg_from": (_text, _p),
    "perftool_leg_to": (_text, _p),
    "perftool_leg_count": (ctypes.c_uint64, _p),
    "perftool_leg_total_ns": (ctypes.c_int64, _p),
    "perftool_leg_min_ns": (ctypes.c_int64, _p),
    "perftool_leg_max_ns": (ctypes.c_int64, _p),
    "perftool_leg_mean_ns": (ctypes.c_double, _p),
    "perftool_leg_stddev_ns": (ctypes.c_double, _p),
    "perftool_leg_quantile_ns": (ctypes.c_double, _p, ctypes.c_double),
    "perftool_leg_buckets": (ctypes.c_size_t, _p, _buckets),
    "perftool_node_id": (ctypes.c_uint32, _p),
    "perftool_node_count": (ctypes.c_uint64, _p),
    "perftool_node_errors": (ctypes.c_uint64, _p),
    "perftool_node_location": (_text, _p),
    "perftool_node_function": (_text, _p),
    "perftool_node_file": (_text, _p),
    "perftool_node_line": (ctypes.c_uint32, _p),
    "perftool_node_buckets": (ctypes.c_size_t, _p, _buckets),
    "spy_start": (ctypes.c_int,),
    "spy_stop": (ctypes.c_int,),
    "spy_command": (ctypes.c_int, _text, _pointer),
}


def _load():
    library = ctypes.CDLL(os.environ.get("LIBPERFTOOL", "libperftool.so.0"),
                          use_errno=True)
    for name, (result, *parameters) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, parameters
    return library


_lib = _load()
_free = ctypes.CDLL(None).free
_free.argtypes, _free.restype = [ctypes.c_void_p], None


def version():
    """The version of the library."""
    return _lib.perftool_version().decode()


def _check(error):
    if not error:
        return
    message = _lib.perftool_error_message(error).decode(errors="replace")
    code = _lib.perftool_error_code(error)
    _lib.perftool_error_destroy(error)
    raise (Interrupted if code == _INTERRUPTED else Error)(message, code)


class _Call:
    """A call of a function of the library, by a thread of its own. Only the
    main thread waits for its end.

    After each step of the main thread, a handler of a signal may raise an
    exception, also within the functions of the module threading, which then
    may keep a lock for ever. So only single operations of locks are used, and
    the main thread may repeat each step."""

    def __init__(self, session, function, *arguments):
        self._session = session  # stays alive until the call has been made
        self._function, self._arguments = function, arguments
        self._has_begun = self._is_given_up = self._is_over = False
        self._end = _thread.allocate_lock()  # released at the end of the call
        self._end.acquire()
        self.error = None

    def begin(self):
        _thread.start_new_thread(self.make, ())

    def make(self):
        # make() sets _has_begun and then reads _is_given_up; give_up() sets
        # _is_given_up and then reads _has_begun. So either make() does not make
        # the call, or give_up() waits for its end.
        self._has_begun = True
        if not self._is_given_up:
            self.error = self._function(self._session._pointer,
                                        *self._arguments)
        self._is_over = True
        self._end.release()

    def wait(self):
        while not self._is_over:
            self._end.acquire()

    def give_up(self):
        """Interrupts the call, and waits for its end. If the call has not
        begun, it will not be made."""
        self._is_given_up = True
        if not self._has_begun:
            return
        if not self._is_over:
            _lib.perftool_session_interrupt(self._session._pointer)
        self.wait()


def _insist(function):
    """Calls the function until no handler of a signal ends it early."""
    while True:
        try:
            return function()
        except BaseException:  # what such a handler has raised
            pass


def _take(pointer):
    """The text that the library has allocated."""
    if not pointer.value:
        return ""
    text = ctypes.string_at(pointer).decode(errors="replace")
    _free(pointer)
    return text


def _printable(text):
    encoded = text.encode(errors="surrogateescape").replace(b"\0", b"?")
    return _take(ctypes.c_void_p(_lib.perftool_printable(encoded)))


class _Text(str):
    """A text with characters that a terminal would take as orders. print() and
    format() show '?' in their place."""

    def __str__(self):
        return _printable(self)

    def __format__(self, spec):
        return format(str(self), spec)


def _data(value):
    """What json has read, with each text as print() may write it."""
    if isinstance(value, str) and not value.isprintable():
        return _Text(value)
    if isinstance(value, list):
        return [_data(item) for item in value]
    if isinstance(value, dict):
        return {name: _data(item) for name, item in value.items()}
    return value


def _decode(text):
    return None if text is None else text.decode(errors="replace")


def _bytes(text):
    """A text or a path as the library takes it."""
    encoded = os.fsencode(text)
    if b"\0" in encoded:  # the library would take what is before it
        raise ValueError("embedded null byte")
    return encoded


def _list(words):
    """A list of texts that ends with NULL, as execve(2) takes it."""
    return (ctypes.c_char_p * (len(words) + 1))(
        *[_bytes(word) for word in words], None)


def _read_buckets(function, of, scale):
    first = ctypes.POINTER(_Bucket)()
    count = function(of, ctypes.byref(first))
    return [Bucket(first[i].start / scale, first[i].end / scale, first[i].count)
            for i in range(count)]


_sessions = weakref.WeakSet()  # all that Python has not freed


@atexit.register
def _close_all():
    """Closes all sessions when Python ends. Nothing frees a session that a
    daemon thread uses, because Python stops this thread for ever."""
    for session in list(_sessions):
        session.close()


def _destroy(pointer, _handler):
    """Ends and frees a session. The library may call the handler, which the
    argument keeps alive, until the session has ended."""
    _lib.perftool_session_destroy(pointer)


class Session:
    """One program that is measured. `on_event(kind, text, elapsed, hits)` is
    called, on another thread, with the kinds "note", "stop" and "progress".
    If operation("set", name="REPORTTIME", value=100) has asked for reports each
    100 ms, or SHOWSTACK for stacks, they come as "report" and "dump", with what
    the operations REPORT and SHOWSTACK reply as JSON. on_event() may call
    interrupt(), and nothing else of the session."""

    # what __del__() reads also if __init__() was not called
    _pointer = _handler = None
    _handling = frozenset()

    def __init__(self, on_event=None):
        self._process = os.getpid()
        self._pointer = ctypes.c_void_p()
        self._handling = set()  # the thread that calls the handler
        _check(_lib.perftool_session_create(ctypes.byref(self._pointer)))
        _sessions.add(self)
        if on_event:
            self._listen(on_event)

    def _listen(self, on_event):
        # A reference of hear() to `self` would keep the session alive.
        handling = self._handling

        def hear(_, event):
            handling.add(_thread.get_ident())
            event = event.contents
            on_event(_EVENTS[event.kind], _decode(event.text),
                     event.elapsed_ns / _NS, event.hits)

        self._handler = _Handler(hear)  # must live as long as the session
        self._call(_lib.perftool_session_on_event, self._handler, None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        # Python may free the session on any thread, also on the one that calls
        # the handler, and this thread cannot wait for its own end.
        if _thread.get_ident() in self._handling:
            _thread.start_new_thread(_destroy, (self._pointer, self._handler))
        else:
            _destroy(self._pointer, self._handler)

    def close(self):
        """Ends the session: kills a launched program, detaches from another.
        Calls of other threads end, and raise Interrupted there. What is still
        open when Python ends is closed then. A child of os.fork() leaves the
        session to its parent."""
        if os.getpid() == self._process:
            self._call(_lib.perftool_session_close)

    def _call(self, function, *arguments):
        """Calls a function of the library that returns soon."""
        _check(function(self._pointer, *arguments))

    def _wait_for(self, function, *arguments):
        """Calls a function of the library that may take long.

        Python notices Ctrl-C between two calls of the main thread only, so
        another thread calls the function, and is interrupted by Ctrl-C."""
        if threading.current_thread() is not threading.main_thread():
            self._call(function, *arguments)
            return
        call = _Call(self, function, *arguments)
        try:
            call.begin()
            call.wait()
        except BaseException:  # what a handler of a signal has raised
            _insist(call.give_up)
            if call.error:
                _lib.perftool_error_destroy(call.error)
            raise
        _check(call.error)

    def launch(self, path, *args, env=None):
        """Starts a program, which stands still until run(). `env` is a dict."""
        words = _list([path, *args])
        pairs = None if env is None else _list(
            [f"{name}={value}" for name, value in env.items()])
        self._call(_lib.perftool_session_launch, _bytes(path), words,
                   pairs)

    def attach(self, pid):
        """Measures a process that runs, and goes on running."""
        self._call(_lib.perftool_session_attach, pid)

    def command(self, line):
        """Runs a line of the command language, and returns what it prints."""
        output = ctypes.c_void_p()
        try:
            self._wait_for(_lib.perftool_session_command, _bytes(line),
                           ctypes.byref(output))
        except BaseException:  # an error, or what a signal's handler raised
            _take(output)
            raise
        return _take(output)

    def operation(self, name, /, **params):
        """Carries out an operation of doc/PROTOCOL.md, by its name in lower
        case: session.operation("setdetail", item="shop.c", value=True). A
        parameter whose name is a word of Python is given as **{"for": [...]}.
        """
        request = json.dumps({"method": name, "params": params})
        reply = ctypes.c_void_p()
        self._call(_lib.perftool_session_operation, request.encode(),
                   ctypes.byref(reply))
        return _data(json.loads(_take(reply)))

    def run(self, seconds=None):
        """Lets the program run so long; None: to its end. Ctrl-C ends the run,
        and raises KeyboardInterrupt."""
        if seconds is not None and seconds < 0:
            raise ValueError(f"{seconds} is no duration; without one, the "
                             "program runs to its end")
        ns = -1 if seconds is None else min(round(seconds * _NS), 2**63 - 1)
        self._wait_for(_lib.perftool_session_run, ns)

    def detach(self):
        """Lets the processes go that are being measured, and says so."""
        return self._say(_lib.perftool_session_detach)

    def end(self):
        """Ends a launched program by SIGINT, or lets go of another."""
        return self._say(_lib.perftool_session_end)

    def _say(self, function):
        text = ctypes.c_void_p()
        self._call(function, ctypes.byref(text))
        return _take(text)

    def set(self, name, value):
        """Gives a setting of the command `set` another value."""
        self._call(_lib.perftool_session_set, _bytes(name),
                   _bytes(str(value)))

    def complete(self, line):
        """What `line`, the beginning of a command, may go on as: the words
        that its last word may become, and what stands before that word."""
        typed = _bytes(line)
        start, words = ctypes.c_size_t(), _texts()
        self._call(_lib.perftool_session_complete, typed,
                   ctypes.byref(start), ctypes.byref(words))
        found = []
        while words[len(found)] is not None:
            found.append(words[len(found)])
        found = [_decode(word) for word in found]
        _lib.perftool_words_destroy(words)
        return found, typed[:start.value].decode(errors="replace")

    def interrupt(self):
        """Ends the run() of another thread, which raises Interrupted there."""
        _lib.perftool_session_interrupt(self._pointer)

    @property
    def pid(self):
        """The pid of the program, or None."""
        pid = ctypes.c_int()
        self._call(_lib.perftool_session_pid, ctypes.byref(pid))
        return pid.value or None

    @property
    def exit_status(self):
        """The exit status, as a shell has it: 128 + N after signal N."""
        status = ctypes.c_int()
        self._call(_lib.perftool_session_exit_status, ctypes.byref(status))
        return status.value

    def tables(self):
        """All tables, as `save tables FILE.json` has them."""
        text = ctypes.c_void_p()
        self._call(_lib.perftool_session_tables, ctypes.byref(text))
        return _data(json.loads(_take(text)))

    def _figures(self, function, number, read):
        found = ctypes.c_void_p()
        self._call(function, number, ctypes.byref(found))
        return read(found) if found.value else None

    def leg(self, number):
        """The leg with this number."""
        return self._figures(_lib.perftool_session_leg, number, _leg)

    def node(self, number):
        """The node with this number."""
        return self._figures(_lib.perftool_session_node, number, _node)

    def legs(self):
        """All legs, in the order of their numbers."""
        return self._all(_lib.perftool_session_leg_at, _leg)

    def nodes(self):
        """All nodes, in the order of their numbers."""
        return self._all(_lib.perftool_session_node_at, _node)

    def _all(self, function, read):
        found = []
        while (row := self._figures(function, len(found), read)) is not None:
            found.append(row)
        return found


def _leg(leg):
    return Leg(
        id=_lib.perftool_leg_id(leg),
        name=_decode(_lib.perftool_leg_name(leg)),
        start=_decode(_lib.perftool_leg_from(leg)),
        end=_decode(_lib.perftool_leg_to(leg)),
        count=_lib.perftool_leg_count(leg),
        total=_lib.perftool_leg_total_ns(leg) / _NS,
        min=_lib.perftool_leg_min_ns(leg) / _NS,
        max=_lib.perftool_leg_max_ns(leg) / _NS,
        mean=_lib.perftool_leg_mean_ns(leg) / _NS,
        stddev=_lib.perftool_leg_stddev_ns(leg) / _NS,
        quantiles=[_lib.perftool_leg_quantile_ns(leg, i / 100) / _NS
                   for i in range(101)],
        buckets=_read_buckets(_lib.perftool_leg_buckets, leg, _NS))


def _node(node):
    return Node(
        id=_lib.perftool_node_id(node),
        count=_lib.perftool_node_count(node),
        errors=_lib.perftool_node_errors(node),
        location=_decode(_lib.perftool_node_location(node)),
        function=_decode(_lib.perftool_node_function(node)),
        file=_decode(_lib.perftool_node_file(node)),
        line=_lib.perftool_node_line(node),
        buckets=_read_buckets(_lib.perftool_node_buckets, node, 1))


# ---- from inside -------------------------------------------------------------

def _check_spy(result):
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def spy_start():
    """Begins to take samples of this process itself."""
    _check_spy(_lib.spy_start())


def spy_stop():
    """Ends the stretch that spy_start() has begun."""
    _check_spy(_lib.spy_stop())


def spy_command(line):
    """Has the server of this process run a line of the command language."""
    output = ctypes.c_void_p()
    result = _lib.spy_command(_bytes(line), ctypes.byref(output))
    number = ctypes.get_errno()
    text = _take(output)
    if result:
        raise Error(text or os.strerror(number))
    return text
