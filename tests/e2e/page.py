"""What page.t asks of the live page: by HTTP, and in a headless Chromium.

usage: page.py requests|end ADDRESS
       page.py browser ADDRESS CHROMIUM FOLDER
       page.py foreign ADDRESS SETPRIV closed|200
       page.py blind ADDRESS SETPRIV FILE

Prints `ok NAME` or `not ok NAME: WHY` for each thing that was tried. The
measured program is tests/programs/server.c with two threads: it reads
descriptor 3 and writes to descriptor 4."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.parse

from browser import Browser
from fair_time import Limit

PATIENCE = 60  # seconds
ADDRESS = sys.argv[2]
PORT = urllib.parse.urlsplit(ADDRESS).port
TOKEN = urllib.parse.parse_qs(urllib.parse.urlsplit(ADDRESS).query)["token"][0]
COOKIE = "perftool-%d=" % PORT
key = ""  # what the token has given
MESSAGE = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "ping"})
THREADS = 2


def check(name, got, wanted=True):
    if got == wanted:
        print("ok", name)
    else:
        print("not ok %s: got %r, wanted %r" % (name, got, wanted))
    sys.stdout.flush()


def work(times):
    """Has each thread call work() so many times."""
    os.write(3, b"%d\n" % times)
    line = b""
    while not line.endswith(b"\n"):
        line += os.read(4, 1)


# ---- by HTTP -------------------------------------------------------------------

def request(method, path, body=None, **headers):
    """Sends a request, and returns the status, the headers and the text."""
    headers.setdefault("Cookie", COOKIE + key)
    connection = http.client.HTTPConnection("127.0.0.1", PORT, PATIENCE)
    try:
        connection.request(method, path, body, {
            name.replace("_", "-"): value for name, value in headers.items()})
        reply = connection.getresponse()
        return reply.status, reply.headers, reply.read().decode()
    finally:
        connection.close()


def post(body, path="/rpc", **headers):
    headers.setdefault("Content_Type", "application/json")
    return request("POST", path, body, **headers)


def call(method, **params):
    status, _, text = post(json.dumps({"jsonrpc": "2.0", "id": 1,
                                       "method": method, "params": params}))
    return json.loads(text) if status == 200 else {"status": status}


def is_refused(body):
    """Is the message too long? The connection may be closed before all of it is
    sent."""
    try:
        return post(body)[0] == 413
    except OSError:
        return True


def answers():
    return call("ping").get("result") == "PONG"


def raw(data):
    file = socket.create_connection(("127.0.0.1", PORT), PATIENCE)
    file.sendall(data)
    return file


def enter(token=TOKEN, cookie=""):
    """Has the token give the key."""
    global key
    status, headers, text = request("GET", "/?token=" + token, Cookie=cookie)
    given = headers["Set-Cookie"]
    if given:
        key = given[len(COOKIE):].split(";")[0]
        given = given.replace(key, "KEY")
    return status, headers["Location"], given, text


def facts():
    return json.loads(subprocess.check_output(["perftool", "who", "--json"]))[0]


def present_token():
    return facts()["page"].split("=")[1]


def try_entering():
    check("without the key nothing is answered",
          (request("GET", "/")[0], post(MESSAGE)[0]), (403, 403))
    check("the token gives the key, which is a cookie", enter(),
          (303, "/", COOKIE + "KEY; Path=/; HttpOnly; SameSite=Lax", ""))
    first = key
    check("the token is good for one request", enter()[0], 403)
    check("`perftool who' has the next one",
          (enter(present_token())[0], key), (303, first))
    used = present_token()
    check("which a browser with the key uses up, too",
          (enter(used, COOKIE + key)[0], enter(used)[0]), (303, 403))
    check("an old token does no harm to one that has the key",
          request("GET", "/?token=" + TOKEN)[0], 200)


def try_page():
    status, headers, text = request("GET", "/")
    check("GET / is the page", (status, "<table id=\"legs\">" in text),
          (200, True))
    policy = headers["Content-Security-Policy"]
    nonce = re.search("script-src 'nonce-([0-9a-f]{32})'", policy)
    check("its policy allows only its own script and style",
          policy.startswith("default-src 'none'; ") and nonce is not None
          and text.count('nonce="%s"' % nonce.group(1)) == 2
          and "frame-ancestors 'none'" in policy)
    check("it is in no frame and no cache",
          (headers["X-Frame-Options"], headers["Cache-Control"],
           headers["Referrer-Policy"], headers["X-Content-Type-Options"]),
          ("DENY", "no-store", "no-referrer", "nosniff"))
    again = request("GET", "/")[1]["Content-Security-Policy"]
    check("its nonce is new each time", again != policy)
    check("it loads nothing from elsewhere",
          re.findall(r"(?:src|href)=[\"'](?!data:)|url\(|@import|@[A-Z]+@",
                     text), [])


def try_refusals():
    wrong = key[:-1] + ("0" if key[-1] != "0" else "1")
    for name, other in [("a wrong key", wrong), ("an empty key", ""),
                        ("a part of the key", key[:16]),
                        ("a longer key", key + "0"),
                        ("the token as the key", present_token())]:
        check(name + " is refused",
              (request("GET", "/", Cookie=COOKIE + other)[0],
               post(MESSAGE, Cookie=COOKIE + other)[0]), (403, 403))
    check("the cookie of another port is refused",
          post(MESSAGE, Cookie="perftool-1=" + key)[0], 403)
    check("a message with a token is refused",
          post(MESSAGE, "/rpc?token=" + present_token(), Cookie="x=y")[0], 403)
    for host in ["evil.example", "evil.example:%d" % PORT, "127.0.0.1",
                 "127.0.0.1:%d" % (PORT ^ 1), "127.0.0.1.evil.example:%d" % PORT,
                 ""]:
        check("the Host `%s' is refused" % host,
              (request("GET", "/", Host=host)[0],
               post(MESSAGE, Host=host)[0]), (403, 403))
    check("localhost is a Host, too",
          post(MESSAGE, Host="localhost:%d" % PORT)[0], 200)
    for origin in ["http://evil.example", "null", "https://127.0.0.1:%d" % PORT,
                   "http://127.0.0.1:%d" % (PORT ^ 1)]:
        check("the Origin `%s' is refused" % origin,
              post(MESSAGE, Origin=origin)[0], 403)
    check("the page's own Origin is not",
          post(MESSAGE, Origin="http://127.0.0.1:%d" % PORT,
               Sec_Fetch_Site="same-origin")[0], 200)
    check("a request from another site is refused",
          post(MESSAGE, Sec_Fetch_Site="cross-site")[0], 403)
    status, headers, _ = request("OPTIONS", "/rpc", Origin="http://evil.example")
    check("a preflight of another site is refused",
          (status, headers["Access-Control-Allow-Origin"]), (403, None))
    check("what a form can send is refused",
          [post(MESSAGE, Content_Type=kind)[0] for kind in
           ("text/plain", "application/x-www-form-urlencoded",
            "multipart/form-data", "application/jsonx")], [415] * 4)
    check("other methods are refused",
          [request(method, path)[0] for method, path in
           (("GET", "/rpc"), ("PUT", "/rpc"), ("POST", "/"), ("DELETE", "/"))],
          [405] * 4)
    check("there is nothing else",
          [request("GET", path)[0] for path in
           ("/favicon.ico", "/../etc/passwd", "/rpc/", "//")], [404] * 4)


def try_messages():
    check("POST /rpc answers JSON-RPC", json.loads(post(MESSAGE)[2]),
          {"jsonrpc": "2.0", "id": 7, "result": "PONG"})
    check("a message may have several lines", json.loads(post(
        MESSAGE.replace(",", ",\r\n"))[2])["result"], "PONG")
    check("a notification gets no reply",
          post('{"jsonrpc":"2.0","method":"ping"}')[::2], (204, ""))
    check("an unknown operation is an error",
          call("nosuch")["error"]["code"], -32601)
    check("so is what is not JSON",
          [json.loads(post(text)[2])["error"]["code"] for text in
           ('{"x', '{"jsonrpc":"2.0"}\n' + MESSAGE, "x", "[]", "{}")],
          [-32700, -32700, -32700, -32600, -32600])
    check("XML, and no message at all, are refused",
          [post(text)[0] for text in ("<DYPER XCOMMAND='PING'/>", "", "\n")],
          [400] * 3)
    full = MESSAGE + " " * ((1 << 20) - len(MESSAGE))
    check("a message of 1 MiB is read", post(full)[0], 200)
    check("a longer one is refused", is_refused(full + " "))
    check("also if its length is not told",
          is_refused(iter([b"x" * 65536] * 17)))
    check("a report is that of the other front ends",
          [(leg["name"], leg["count"]) for leg in
           call("report")["result"]["legs"]], [("work", 0)])
    work(50)
    check("and counts", call("report")["result"]["legs"][0]["count"],
          50 * THREADS)
    call("command", line="print nodes")
    check("the output of a command has nothing of an earlier one",
          call("command", line="collect nodes")["result"]["output"],
          "Collected nodes\n")
    check("without samples the tree is empty",
          [call("calltree")["result"][name] for name in
           ("on", "ticks", "frame")], [False, 0, []])
    check("a wrong parameter is an error",
          call("calltree", least="much")["error"]["code"], -32602)


def try_perils():
    begin = ("POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nCookie: %s\r\n"
             "Content-Type: application/json\r\n"
             % (PORT, COOKIE + key)).encode()
    halves = [raw(begin[:10 + 3 * i]) for i in range(20)]
    halves += [raw(begin + b"Content-Length: 1000\r\n\r\n{") for _ in range(20)]
    check("half requests stop nobody", answers())
    work(50)
    whole = begin + b"Content-Length: %d\r\n\r\n" % len(MESSAGE) \
        + MESSAGE.encode()
    slow = raw(b"")
    for i in range(len(whole)):
        slow.sendall(whole[i:i + 1])
        if i % 50 == 0:
            answers()
    check("a slow client is answered, too", b"PONG" in slow.recv(1 << 16))
    for file in halves + [slow]:
        file.close()
    many = [socket.socket() for _ in range(200)]
    for file in many:
        file.setblocking(False)
        file.connect_ex(("127.0.0.1", PORT))
    work(50)
    for file in many:
        file.close()
    check("200 connections harm nobody", answers())
    report = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "report"})
    mute = raw((begin + b"Content-Length: %d\r\n\r\n" % len(report)
                + report.encode()) * 200)
    check("one that does not read stops nobody", answers())
    mute.close()
    for rubbish in (b"\0" * 1000, b"GET", b"\r\n" * 500, b"x" * 100000,
                    b"GET / HTTP/9.9\r\n\r\n",
                    begin + b"Content-Length: -1\r\n\r\n",
                    begin + b"Content-Length: 99999999999999999999\r\n\r\n",
                    begin + b"A: " + b"a" * 100000 + b"\r\n\r\n",
                    begin + b"Transfer-Encoding: chunked\r\n\r\nfffffffff\r\n"):
        try:
            raw(rubbish).close()
        except OSError:
            pass
    check("rubbish harms nobody", answers())
    work(50)
    check("meanwhile the program was counted",
          call("report")["result"]["legs"][0]["count"], 200 * THREADS)


def requests():
    try_entering()
    try_page()
    try_refusals()
    try_messages()
    try_perils()


# ---- the end of the program ------------------------------------------------------

# What a foreign user does: connects many times, asks for the page by the first
# connection, and keeps all of them until its input ends.
FOREIGNER = """
import socket, sys
files = []
for i in range(int(sys.argv[2])):
    files.append(socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60))
answer = b""
try:
    files[0].sendall(sys.argv[3].encode())
    answer = files[0].recv(12)
except (ConnectionResetError, BrokenPipeError):
    pass
print(answer.split()[1].decode() if answer else "closed", flush=True)
sys.stdin.read()
"""


def foreign():
    wanted = sys.argv[4]
    enter()
    text = ("GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nCookie: %s\r\n\r\n"
            % (PORT, COOKIE + key))
    with subprocess.Popen(
            [sys.argv[3], "--reuid=65534", "--regid=65534", "--clear-groups",
             "/usr/bin/python3", "-c", FOREIGNER, str(PORT),
             "1" if wanted == "200" else "200", text],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        check("a foreign user gets: " + wanted,
              other.stdout.readline().decode().strip(), wanted)
        check("and occupies no connection",
              all(request("GET", "/")[0] == 200 for _ in range(5)))
        check("nor holds up the operations", call("ping")["result"], "PONG")
        other.stdin.close()


# What a foreign user does who knows the key: sends a command, and closes the
# connection before the server reads it.
BLIND = """
import socket, sys
for _ in range(200):
    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60) as file:
        file.sendall(sys.argv[2].encode())
"""


def blind():
    """The command creates a file."""
    enter()
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "command",
                       "params": {"line": "shell echo >> " + sys.argv[4]}})
    text = ("POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nCookie: %s\r\n"
            "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
            % (PORT, COOKIE + key, len(body), body))
    subprocess.run([sys.argv[3], "--reuid=65534", "--regid=65534",
                    "--clear-groups", "/usr/bin/python3", "-c", BLIND,
                    str(PORT), text], check=False, stderr=subprocess.DEVNULL)
    answers()
    answers()
    check("a foreign user who has closed the connection gives no command",
          os.path.exists(sys.argv[4]), False)
    # The user of perftool may do so, as long as the connection is open.
    with raw(text.encode()) as file:
        file.shutdown(socket.SHUT_WR)
        file.recv(1 << 16)
    check("the user gives one by a connection that is half closed",
          os.path.exists(sys.argv[4]))


def end():
    """The test ends the program while this one asks."""
    state = None
    limit = Limit(PATIENCE)
    enter()
    answers()
    os.write(3, b"END\n")
    while state != "exited" and not limit.is_over():
        state = call("report")["result"]["program"]["state"]
    check("the page gets the figures of the end", state, "exited")


# ---- in Chromium -----------------------------------------------------------------

# The texts of a column of a table, without the head.
COLUMN = """[...document.querySelectorAll("#%s tbody tr")]
    .map((row) => row.cells[%d].textContent)"""
FOCUS = "(at => at.id || at.textContent)(document.activeElement)"


def row_of(browser, table, text):
    return browser.value("[...document.querySelectorAll('#%s tbody tr')]"
                         ".findIndex((row) => row.innerText.includes(%s))"
                         % (table, json.dumps(text)))


def legs_are(browser, names):
    """Waits until the table has these legs in this order."""
    try:
        browser.wait("JSON.stringify(%s) === %s" % (
            COLUMN % ("legs", 0),
            json.dumps(json.dumps(names, separators=(",", ":")))))
        return True
    except TimeoutError:
        return browser.value(COLUMN % ("legs", 0))


def try_opening(browser):
    check("the page shows the program",
          browser.value("document.title"), "server - perftool")
    check("and its leg", legs_are(browser, ["work"]))


def try_bounds(browser):
    """Times below the resolution are shown as in the tables: as bounds."""
    short = {"count": 2000, "total_ns": -1730000, "total_bound_ns": 24700,
             "mean_ns": None, "below_resolution": True, "resolution_ns": 0.386}
    check("no total is shown as a negative time",
          browser.value("((leg) => [totalText(leg), meanText(leg), "
                        "rowTotalText(leg)])(%s)" % json.dumps(short)),
          ["< 24.7 \u00b5s", "< 0.39 ns", "\u2013"])
    long = dict(short, total_ns=1730000, total_bound_ns=None, mean_ns=865,
                below_resolution=False)
    check("and others as they are",
          browser.value("((leg) => [totalText(leg), meanText(leg), "
                        "rowTotalText(leg)])(%s)" % json.dumps(long)),
          ["1.73 ms", "865 ns", "1.73 ms"])


def try_adding(browser):
    """By keys alone: a node is added, and seen counting."""
    browser.tab_to("at.id === 'place'")
    browser.type("call_work")
    browser.key("Enter")
    browser.wait("document.querySelectorAll('#legs tbody tr').length === 2")
    check("a leg is added by the form", True)
    work(30)
    wanted = {"work": "%d" % (30 * THREADS), "call_work": "%d" % THREADS}
    for name, count in wanted.items():
        browser.wait("[...document.querySelectorAll('#legs tbody tr')].some("
                     "(row) => row.cells[0].textContent === '%s' && "
                     "row.cells[1].textContent === '%s')" % (name, count))
    check("and is seen counting", True)
    browser.value("document.getElementById('what').value = 'count'")
    browser.value("document.getElementById('place').focus()")
    browser.type("call_work")
    browser.key("Enter")
    browser.wait("document.querySelectorAll('#nodes tbody tr').length === 5")
    check("a node is added by the form", True)
    browser.value("document.getElementById('what').value = 'command'")
    browser.value("document.getElementById('place').focus()")
    browser.type("no such command")
    browser.key("Enter")
    browser.wait("document.getElementById('said').className === 'problem'")
    check("a command that fails says why", "no such" in
          browser.value("document.getElementById('said').textContent"))
    check("and leaves the line to be corrected",
          browser.value("document.getElementById('place').value"),
          "no such command")


def try_sorting(browser):
    browser.tab_to("at.textContent === 'Count' && at.closest('#legs')")
    browser.key("Enter")
    check("a column sorts by a key", legs_are(browser, ["work", "call_work"]))
    sort = "document.activeElement.parentNode.getAttribute('aria-sort')"
    check("and says so", browser.value(sort), "descending")
    browser.key(" ")
    check("once more in the other direction",
          legs_are(browser, ["call_work", "work"]))
    check("and says that", browser.value(sort), "ascending")
    place = browser.value(
        "(({x, y}) => [x + 5, y + 5])(document.querySelector("
        "'#legs th button').getBoundingClientRect())")
    for kind in ("mousePressed", "mouseReleased"):
        browser.call("Input.dispatchMouseEvent", type=kind, x=place[0],
                     y=place[1], button="left", clickCount=1)
    check("and by the mouse", legs_are(browser, ["call_work", "work"]))
    check("another column is then the sorted one", browser.value(
        "[...document.querySelectorAll('#legs th[aria-sort]')]"
        ".map((cell) => cell.textContent)"), ["Leg"])
    browser.value("document.getElementById('filter').focus()")
    browser.type("call")
    check("the filter leaves out names", legs_are(browser, ["call_work"]))
    browser.value("document.getElementById('filter').value = ''")
    browser.value("document.getElementById('filter').dispatchEvent("
                  "new Event('input'))")
    check("and shows them again", legs_are(browser, ["call_work", "work"]))
    check("the tables say who made their rows", browser.value(
        "['legs', 'nodes'].map((id) => { const table = document.getElementById(id);"
        "  const at = [...table.tHead.rows[0].cells].findIndex((cell) =>"
        "    cell.textContent === 'Made by');"
        "  return table.tBodies[0].rows[0].cells[at].textContent; })"), ["user", "user"])


def try_choosing(browser):
    browser.tab_to("at.localName === 'tr' && at.closest('#legs')")
    browser.key("ArrowDown")
    browser.key("Enter")
    check("a leg is chosen by keys",
          (browser.value("document.getElementById('chosen').hidden"),
           browser.value("document.getElementById('chosen-title').textContent")),
          (False, "work"))
    work(1000)
    browser.wait("document.querySelectorAll('#histogram rect').length > 0")
    check("its histogram is drawn", True)
    browser.wait("document.querySelectorAll('#timeline rect').length > 0")
    check("and its time line", True)
    browser.wait("document.querySelectorAll('#legs td svg polyline')"
                 ".length === 2")
    check("and sparklines", True)
    check("the focus stays on its row",
          browser.value("document.activeElement.cells[0].textContent"), "work")


def try_split(browser):
    browser.value("livePage.command('split leg 0 by=wanted')")
    work(10)
    work(30)
    browser.wait("document.querySelectorAll('#values tbody tr').length === 2")
    browser.value("livePage.values.sorting.choose('value')")
    browser.wait("%s.join() === '10,30' && %s.join() === '%d,%d'" % (
        COLUMN % ("values", 0), COLUMN % ("values", 1), 10 * THREADS,
        30 * THREADS))
    check("a leg that is split has its values",
          browser.value("document.getElementById('split-title').textContent"),
          "By wanted")
    browser.value("livePage.command('delete split leg 0')")
    browser.wait("document.getElementById('split').hidden")
    check("as long as it is split", True)


def try_samples(browser):
    browser.tab_to("at.id === 'profile'")
    browser.key("Enter")
    browser.wait("document.getElementById('profile').getAttribute("
                 "'aria-pressed') === 'true'")
    check("samples are taken by a button", True)
    # The first samples may all be in other functions.
    has_call = ("[...document.querySelectorAll('#flames button')]"
                ".some((at) => at.getAttribute('aria-label').startsWith("
                "'call_work (server): '))")
    limit = Limit(PATIENCE)
    while not browser.value(has_call) and not limit.is_over():
        work(200000)
        browser.value("livePage.refreshSamples()")
    check("the flame graph has the functions", browser.value(has_call))
    browser.tab_to("at.closest('#flames')")
    check("Tab reaches its first frame", browser.value(FOCUS), "all samples")
    browser.key("ArrowDown")
    browser.key("ArrowDown")
    frame = browser.value("document.activeElement.frame.name")
    browser.key("Enter")
    check("Enter shows a frame in full width",
          (browser.value("document.activeElement.frame.name"),
           browser.value("document.getElementById('whole').hidden")),
          (frame, False))
    browser.key("Escape")
    check("Escape shows the whole",
          browser.value("document.getElementById('whole').hidden"))


def try_removing(browser):
    """Delete on the row of call_work removes the leg and its two nodes."""
    browser.tab_to("at.localName === 'tr' && at.closest('#legs')")
    browser.key("ArrowUp")
    browser.key("Delete")
    check("Delete removes a leg", legs_are(browser, ["work"]))
    browser.wait("document.querySelectorAll('#nodes tr.deleted').length === 2")
    check("with the nodes that only it has needed", True)
    browser.value("document.activeElement.blur()")
    browser.tab_to("at.getAttribute('aria-label') && at.getAttribute("
                   "'aria-label').startsWith('Remove node ')")
    browser.key("Enter")
    browser.wait("document.querySelectorAll('#nodes tr.deleted').length === 3")
    check("a node is removed by its button", True)


def try_narrow(browser):
    browser.call("Emulation.setDeviceMetricsOverride", width=400, height=800,
                 deviceScaleFactor=1, mobile=False)
    check("the page fits into 400 pixels",
          browser.value("document.documentElement.scrollWidth") <= 400)
    browser.call("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": "dark"}])
    dark = browser.value("getComputedStyle(document.body).backgroundColor")
    browser.call("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": "light"}])
    check("and is dark where the user wants it",
          dark != browser.value("getComputedStyle(document.body)"
                                ".backgroundColor"))
    browser.call("Emulation.clearDeviceMetricsOverride")


def refresh(browser, times):
    """Refreshes the page while the program works."""
    for _ in range(times // 20):
        work(20 + _ % 7)
        browser.value("(async () => { for (let i = 0; i < 20; i++) "
                      "await livePage.refresh(); })()")


def try_long(browser):
    """The memory of a page that is open for long: a refresh is a second of it.
    The first refreshes fill what has a bound."""
    times = int(os.environ.get("PERFTOOL_REFRESHES", "1000"))
    browser.value("document.getElementById('pause').click()")
    refresh(browser, 400)
    before = browser.metrics()
    begun = browser.value("livePage.refreshes")
    refresh(browser, times)
    after = browser.metrics()
    print("# %d refreshes: %s -> %s" % (times, before, after))
    check("it was refreshed", browser.value("livePage.refreshes") - begun, times)
    check("it has as many elements as before",
          after["Nodes"] <= before["Nodes"] * 1.05 + 50)
    check("and as many listeners", after["JSEventListeners"],
          before["JSEventListeners"])
    check("and its heap has not grown",
          after["JSHeapUsedSize"] <= before["JSHeapUsedSize"] * 1.1 + 200000)
    browser.value("document.getElementById('pause').click()")


def try_end(browser):
    # After the program's end perftool serves the page for a limited time. On a busy
    # machine the timer of the page may fire later than that. Here the page therefore
    # requests the figures all the time.
    browser.value("void (async () => { while (!livePage.isOver) "
                  "{ await livePage.refresh(); await new Promise(setTimeout); } })()")
    os.kill(facts()["pid"], signal.SIGTERM)
    browser.wait("livePage.isOver")
    check("the page says how the program has ended",
          browser.value("document.getElementById('state').textContent"),
          "The program was ended by the signal 15. These are its last "
          "figures.")
    check("and keeps its figures", legs_are(browser, ["work"]))


def in_browser():
    with Browser(sys.argv[3], sys.argv[4]) as browser:
        browser.open(ADDRESS)
        browser.wait("document.querySelectorAll('#legs tbody tr').length > 0")
        check("the token is not in the address any more",
              browser.value("location.href"), "http://127.0.0.1:%d/" % PORT)
        try_opening(browser)
        try_bounds(browser)
        try_adding(browser)
        try_sorting(browser)
        try_choosing(browser)
        try_split(browser)
        try_samples(browser)
        try_removing(browser)
        try_narrow(browser)
        try_long(browser)
        check("the console has no errors", browser.problems, [])
        try_end(browser)


{"requests": requests, "foreign": foreign, "blind": blind, "browser": in_browser,
 "end": end}[sys.argv[1]]()
