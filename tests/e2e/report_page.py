"""Checks reports and plots: report_page.py xml FILE... reads each as XML, and looks for what would
load something or break out; report_page.py browser CHROMIUM PROFILE FOLDER opens them. Each line
that it prints is a test."""
import os
import sys
import xml.etree.ElementTree as tree
from html.parser import HTMLParser

HTML, SVG = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"


def test(good, name, *facts):
    print(("ok " if good else "not ok ") + name + ("" if good else ": " + " ".join(map(str, facts))))


class Tags(HTMLParser):
    """The elements as a browser sees them, which does not take the file for XML."""

    def __init__(self):
        super().__init__()
        self.names, self.loads = [], []

    def handle_starttag(self, tag, attributes):
        self.names.append(tag)
        for name, value in attributes:
            if name.startswith("on") or name in ("src", "action", "style"):
                self.loads.append((tag, name))
            if name == "href" and not value.startswith(("#", "data:,")):
                self.loads.append((tag, name, value))


def check_xml(path):
    name = os.path.basename(path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        root = tree.fromstring(text)
    except tree.ParseError as error:
        test(False, name + " is XML", error)
        return
    test(root.tag in (HTML + "html", SVG + "svg"), name + " is XML")
    tags = Tags()
    tags.feed(text)
    test(not tags.loads, name + " loads nothing, and has no handlers", tags.loads)
    allowed = 0 if root.tag == SVG + "svg" else 1
    test(tags.names.count("script") == allowed and "img" not in tags.names,
         name + " has no elements that names have made", tags.names.count("script"))
    if root.tag == SVG + "svg":
        test(root.find(SVG + "title") is not None and root.find(SVG + "desc") is not None,
             name + " has a title and a description")
    else:
        figures = root.findall(".//%ssvg[@role='img']" % SVG)
        test(all(figure.find(SVG + "title") is not None for figure in figures),
             name + " names its figures")
    bad = [hex(ord(c)) for c in text if c in "\u202e\u200f\u2066" or ord(c) < 32 and c not in "\n\t"]
    test(not bad, name + " has no characters that turn or end lines", bad)


COLUMN = ("[...document.querySelectorAll('#legs tbody tr')].map(row => "
          "Number(row.cells[%d].dataset.v))")


def is_sorted(values, descending=True):
    pairs = zip(values, values[1:])
    return all(a >= b if descending else a <= b for a, b in pairs)


def check_sorting(browser, rows):
    click = "document.querySelectorAll('#legs th button')[%d].click()"
    test(browser.value("document.querySelectorAll('#legs tbody tr').length") == rows,
         "the table has %d legs" % rows)
    test(is_sorted(browser.value(COLUMN % 2)), "the largest total is first")
    browser.value(click % 4)
    means = browser.value(COLUMN % 4)
    test(len(means) == rows and is_sorted(means), "a click on Mean sorts by it")
    test(browser.value("document.querySelectorAll('#legs th')[4].ariaSort") == "descending",
         "and the head says so")
    browser.value(click % 4)
    test(is_sorted(browser.value(COLUMN % 4), False), "another click reverses it")
    browser.value(click % 0)
    names = browser.value("[...document.querySelectorAll('#legs tbody tr')]"
                          ".map(row => row.cells[0].textContent)")
    test(len(set(names)) == rows and names[0] < names[-1], "a click on Leg sorts names", names[:3])


def fits(browser, width):
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=800,
                 deviceScaleFactor=1, mobile=False)
    return browser.value("document.documentElement.scrollWidth <= innerWidth")


def check_page(browser, folder, name):
    requests = []
    keep = browser.note

    def note(event):
        if event.get("method") == "Network.requestWillBeSent":
            requests.append(event["params"]["request"]["url"])
        keep(event)

    browser.note = note
    browser.call("Network.enable")
    browser.open("file://" + os.path.join(folder, name))
    browser.value("1")
    browser.note = keep
    others = [url for url in requests
              if not url.startswith("data:") and not url.endswith("/" + name)]
    test(not others, name + " makes no request", others)
    for width in (1280, 400):
        test(fits(browser, width), "%s fits into %d pixels" % (name, width))


def check_browser(chromium, profile, folder):
    from browser import Browser
    with Browser(chromium, profile) as browser:
        for name in ("none.html", "one.html", "hostile.html", "thousands.html", "hundred.html"):
            check_page(browser, folder, name)
        check_sorting(browser, 100)
        browser.value("(f => { f.value = 'function_9'; f.dispatchEvent(new Event('input')); })"
                      "(document.getElementById('filter'))")
        test(browser.value("[...document.querySelectorAll('#legs tbody tr')]"
                           ".filter(row => !row.hidden).length") == 11,
             "the filter leaves the legs with such a name")
        test(browser.value("!!document.querySelector('article#leg5 svg path.bar')"),
             "a leg has its figure")
        for theme, back in (("light", 255), ("dark", 20)):
            browser.call("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": theme}])
            test(browser.value("getComputedStyle(document.body).backgroundColor")
                 .startswith("rgb(%d," % back), "it can be " + theme)
        browser.call("Emulation.setEmulatedMedia", media="print", features=[])
        test(browser.value("getComputedStyle(document.querySelector('.filter')).display") == "none",
             "the filter is not printed")
        for name in ("plot.svg", "hostile.svg", "long.svg"):
            browser.open("file://" + os.path.join(folder, name))
            test(browser.value("document.documentElement.localName") == "svg",
                 "a browser shows " + name)
            test(browser.value("[...document.querySelectorAll('text')].every(text => "
                               "text.getBoundingClientRect().right <= 872)"),
                 "the texts of %s are in the figure" % name)
        browser.call("Emulation.setScriptExecutionDisabled", value=True)
        browser.call("Page.navigate", url="file://" + os.path.join(folder, "one.html"))
        test(not browser.problems, "the console is silent", browser.problems)


if sys.argv[1] == "xml":
    for path in sys.argv[2:]:
        check_xml(path)
else:
    check_browser(*sys.argv[2:])
