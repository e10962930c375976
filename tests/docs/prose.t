#!/usr/bin/python3
# tier: core
# covers: doc samples/labs
"""README.md, doc/*.md and the pages of the labs: what they lead to is there, and the first of them are short."""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIRST_LINES, COLUMNS = 60, 80  # of README.md, on a screen
WORDS = 1500  # of start.md, which promises ten minutes
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def anchors(path):
    """What links into the document may end in: its headings, as GitHub writes them."""
    headings = re.findall(r"^#+ +(.*)$", FENCE.sub("", read(path)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(path):
    """Those of the document that lead to no file, or to no heading."""
    dead = []
    for link in re.findall(r"\]\(([^()\s]+)\)", FENCE.sub("", read(path))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = os.path.join(os.path.dirname(path), name) if name else path
        if not os.path.exists(target) or anchor and anchor not in anchors(target):
            dead.append(link)
    return dead


def unknown_files(path):
    """Source files that the document names, and that do not exist: with a path from the project or
    from src/, or by their name alone."""
    named = re.findall(r"`([\w/.-]+\.[chtS])`", FENCE.sub("", read(path)))
    named = [name for name in named if not re.search("[A-Z]{4}", name)]  # stand for any name
    names = {name for _, _, files in os.walk(os.path.join(ROOT, "src")) for name in files}
    names |= {name for _, _, files in os.walk(os.path.join(ROOT, "include")) for name in files}
    names |= {name for _, _, files in os.walk(os.path.join(ROOT, "tests")) for name in files}
    names |= {name for _, _, files in os.walk(os.path.join(ROOT, "samples")) for name in files}
    return sorted({name for name in named
                   if not (any(os.path.exists(os.path.join(ROOT, folder, name)) for folder in (".", "src"))
                           if "/" in name else name in names)})


def unknown_sections():
    """Returns the sections that comments cite and that no document has."""
    unknown = []
    for folder in ("src", "include", "tests"):
        for at, _, files in os.walk(os.path.join(ROOT, folder)):
            for name in files:
                if not name.endswith((".c", ".h", ".S", ".sh", ".t")):
                    continue
                text = open(os.path.join(at, name), errors="replace").read()
                text = re.sub(r"\s*\n\s*(?:\*|#)?\s*", " ", text)
                for document, cited in re.findall(r'doc/([A-Z]+\.md),((?: "[^"\n]+"(?:,| and)?)+)', text):
                    with open(os.path.join(ROOT, "doc", document)) as file:
                        headings = re.findall(r"^#+ (.*)$", file.read(), re.M)
                    unknown += ['%s: doc/%s, "%s"' % (name, document, section)
                                for section in re.findall(r'"([^"]+)"', cited)
                                if section not in headings]
                if re.search(r"spec of (measurement|probes|commands|profiles|architecture)", text):
                    unknown.append("%s: cites a document that is not in doc/" % name)
    return sorted(unknown)


def main():
    tests = failed = 0

    def ok(passed, name, why=""):
        nonlocal tests, failed
        tests += 1
        failed += not passed
        print("%sok %d - %s" % ("" if passed else "not ", tests, name))
        if not passed:
            print("".join("#   %s\n" % line for line in why.splitlines()), end="")

    readme = os.path.join(ROOT, "README.md")
    documents = sorted(glob.glob(os.path.join(ROOT, "doc", "*.md")))
    labs = sorted(glob.glob(os.path.join(ROOT, "samples", "labs", "**", "*.md"), recursive=True))
    for path in [readme] + documents + labs:
        dead = dead_links(path)
        ok(not dead, "%s: every link leads to a file or heading that exists" % os.path.relpath(path, ROOT), "\n".join(dead))
    unknown = unknown_sections()
    ok(not unknown, "the sections that comments cite exist", "\n".join(unknown))
    for name in ("INTERNALS.md", "CONTRIBUTING.md"):
        unknown = unknown_files(os.path.join(ROOT, "doc", name))
        ok(not unknown, "doc/%s: the source files that the document names exist" % name, "\n".join(unknown))
    index = os.path.join(ROOT, "doc", "README.md")
    unlinked = [name for name in map(os.path.basename, documents)
                if name != "README.md" and "(%s)" % name not in read(index)]
    ok(not unlinked, "doc/README.md: every document is linked", "\n".join(unlinked))
    ok("(doc/README.md)" in read(readme), "README.md: the list of documents is linked")
    guide = os.path.join(ROOT, "doc", "guide.md")
    contents, _, _ = read(guide).partition("\n## ")
    unlinked = sorted(anchors(guide) - {"guide"} - set(re.findall(r"\(#([^)]*)\)", contents)))
    ok(not unlinked, "doc/guide.md: its contents have every section", "\n".join(unlinked))
    wide = [line for line in read(readme).splitlines()[:FIRST_LINES] if len(line) > COLUMNS]
    ok(not wide, "README.md: the first lines have at most 80 columns", "\n".join(wide))
    words = len(FENCE.sub("", read(os.path.join(ROOT, "doc", "start.md"))).split())
    ok(words <= WORDS, "doc/start.md: at most %d words" % WORDS, "%d words" % words)
    print("1..%d" % tests)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
