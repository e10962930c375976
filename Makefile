# perftool - build, test, install. `make help` lists the goals.
#
# Nothing needs to be installed by hand on Debian 12 and 13 and Ubuntu 24.04:
# `demo`, the goals that test, `lint`, `bench`, `fuzz-smoke`, `deb` and
# `check-package` first run tests/setup.sh, which installs what is missing; SETUP=no
# leaves that out. `make all` builds with what is there.
#
# V=1 shows the commands. WERROR=1 makes warnings of the compilers errors.

VERSION := 0.1.0
# The date of this version, and of the files in its archive and its packages.
DATE := 2026-11-27

# GNU makefiles spell it `prefix`; `make install prefix=DIR` does the same.
PREFIX ?= $(or $(prefix),/usr/local)
DESTDIR ?=
SETUP ?= yes
CC = gcc
CXX = g++
AR = gcc-ar

# (tests/setup.sh installs a compiler where there is none.)
ifneq ($(shell command -v $(firstword $(CC))),)
ifneq ($(shell $(CC) -std=gnu17 -E -x c /dev/null >/dev/null 2>&1 || echo old),)
$(error $(CC) does not know C17; perftool needs gcc 8 or clang 7, or newer ones: \
	make CC=... CXX=...)
endif
endif

# Debian keeps the headers of libxml2 in a folder of their own.
XML_INCLUDE ?= /usr/include/libxml2

# SAN=1: everything with the address and undefined-behaviour sanitizers.
SAN ?=
ifeq ($(SAN),)
BUILD := build
SANITIZE :=
else
BUILD := build-san
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
endif

# A user's compiler may be newer than ours and warn of more.
WERROR ?=
FATAL := $(if $(filter-out no 0,$(WERROR)),-Werror)

OPT ?= -O2 -g
WARNINGS := -Wall -Wextra $(FATAL) -Wconversion -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla
CPPFLAGS += -Iinclude -Isrc -I$(BUILD)/obj/generated -D_GNU_SOURCE \
	-isystem $(XML_INCLUDE) \
	-DPERFTOOL_VERSION='"$(VERSION)"'
# The same objects make the program and the shared library, which shows only
# what perftool.h declares.
CFLAGS += -std=gnu17 $(OPT) $(WARNINGS) $(SANITIZE) -fPIC -fvisibility=hidden
LDFLAGS += $(SANITIZE)
LDLIBS := -lelf -lz -lisal -lpthread -lZydis -ledit -ljson-c -lprotobuf-c \
	-liberty -lm

SOURCES := $(sort $(wildcard src/*/*.c src/*/*.S src/*/*/*.c src/*/*/*.S))
# The code that reads and writes the messages of src/report/files/pprof.proto.
GENERATED := $(BUILD)/obj/generated/pprof.pb-c.c
OBJECTS := $(patsubst src/%,$(BUILD)/obj/%.o,$(SOURCES:.c=)) \
	$(GENERATED:.c=.o)
LIBRARY := $(BUILD)/libperftool.a
# The shared library has neither the user interface nor the server.
SONAME := libperftool.so.0
SHARED := $(BUILD)/libperftool.so
SHARED_OBJECTS = $(filter-out $(BUILD)/obj/ui/% $(BUILD)/obj/serve/%,$(OBJECTS))
SHARED_LIBS = $(filter-out -ledit,$(LDLIBS))
COMPLETIONS := $(addprefix $(BUILD)/completion/perftool.,bash zsh fish)
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,\
	$(sort $(wildcard tests/unit/test_*.c)))
PROGRAMS := $(patsubst tests/programs/%,$(BUILD)/tests/programs/%,\
	$(basename $(sort $(wildcard tests/programs/*.c tests/programs/*.cc))))
FUZZERS := $(patsubst tests/fuzz/%.c,build-fuzz/%,\
	$(sort $(wildcard tests/fuzz/fuzz_*.c)))
TORTURE := $(addprefix $(BUILD)/tests/torture/,victim plug.so die.so \
	fault.so)
# The programs with which tests/surroundings/enter sets a surrounding.
CONFINE := $(addprefix $(BUILD)/tests/surroundings/,confine forbid.so)
# They link the library, and write what end-to-end tests read.
DRIVERS := $(patsubst tests/drivers/%.c,$(BUILD)/tests/drivers/%,\
	$(sort $(wildcard tests/drivers/*.c)))
# They use the shared library, as programs of its users do.
CLIENTS := $(patsubst tests/library/%.c,$(BUILD)/tests/library/%,\
	$(sort $(wildcard tests/library/*.c)))
BENCHES := $(patsubst tests/bench/%.c,$(BUILD)/tests/bench/%,\
	$(sort $(wildcard tests/bench/*.c)))

.DELETE_ON_ERROR:
.SECONDARY:

# ---- jobs, and how far they have come ------------------------------------

# make runs as many jobs as there are processors, unless the user has given it a number.
# A make that was called by make shares the jobs of its caller.
ifeq ($(MAKELEVEL)$(filter -j% --jobserver%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

# `make clean all` removes before it builds.
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

# The first line of each recipe that compiles or links is `$(call step,FILE)`. It
# counts the step and shows it: at a terminal all steps in one line, elsewhere a
# line for each step. `make -s` shows nothing; V=1 shows the commands instead.
#
# The number of all steps is found by a dry run of the same goals, when the first
# step begins: so it costs nothing when there is nothing to do.
V ?=
Q := $(if $(filter 1,$(V)),,@)
is_silent = $(findstring s,$(filter-out --%,-$(firstword $(MAKEFLAGS))))
count_steps = $(shell env -u MAKEFLAGS -u MAKELEVEL -u MAKE_TERMOUT $(MAKE) -n \
	--no-print-directory $(MAKEOVERRIDES) STEPS=counted $(MAKECMDGOALS) \
	2>/dev/null | grep -c '^: a step$$')
next_step = $(eval DONE := x $(DONE))$(if $(STEPS),,$(eval STEPS := $(count_steps)))
steps = [$(words $(DONE))/$(STEPS)]
show_step = $(if $(MAKE_TERMOUT),@printf '\r\033[K%s$(if \
	$(filter $(STEPS),$(words $(DONE))),\n,\r)' '$(steps) $(1)',@echo '$(steps) $(1)')
step = $(if $(filter counted,$(STEPS)),: a step,$(if \
	$(V)$(is_silent),,$(next_step)$(show_step)))

.PHONY: all help samples labs programs unit demo check lint format bench bench-plot \
	check-full check-quiet check-faults check-systems torture faults lint-full \
	fuzz-smoke installed install uninstall dist deb check-package clean

all: $(BUILD)/perftool $(SHARED) $(BUILD)/libperftool.pc $(COMPLETIONS) samples \
	labs

include samples/samples.mk

help:
	@echo 'make            build/perftool and the samples'
	@echo 'make demo       set up, build, measure a sample, print its tables'
	@echo 'make labs       the programs of the labs of a course, in build/labs'
	@echo 'make check      set up, build, run the quick tests (SAN=1: sanitized)'
	@echo 'make check-full the rest: with int3s alone, in other surroundings, ...'
	@echo 'make check-quiet'
	@echo '                tests that compare times, on a quiet machine'
	@echo 'make check-faults'
	@echo '                put faults into the source: which test finds each?'
	@echo 'make check-systems'
	@echo '                demo and check in a new Debian 13 (as root)'
	@echo 'make lint       layers, formatting; of what has changed: cppcheck,'
	@echo '                clang-tidy, gcc and clang (make lint-full: of all)'
	@echo 'make torture    minutes of random programs, of sudden deaths of'
	@echo '                perftool, and of breakpoints that come and go'
	@echo '                (TIME=seconds SEED=n JOBS=n)'
	@echo 'make faults     ten minutes: each system call of perftool fails,'
	@echo '                from each place, with each errno'
	@echo 'make bench      figures, side by side, in one run (ROUNDS=5);'
	@echo '                make bench-plot puts them into doc/'
	@echo 'make fuzz-smoke each fuzz target for some seconds'
	@echo 'make install    to $$DESTDIR$$PREFIX ($(PREFIX)); make uninstall'
	@echo 'make dist       build/perftool-$(VERSION).tar.xz, the source'
	@echo 'make deb        the Debian packages, in build/ (DIST=FOLDER)'
	@echo 'make check-package'
	@echo '                build, install, try and remove them in a new Debian 12'
	@echo '                and 13 (SUITES=NAMES, as root, from the network)'

setup-%:
	@[ '$(SETUP)' = no ] || tests/setup.sh $*

# ---- the program ------------------------------------------------------

$(BUILD)/obj/%.o: src/%.c
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/obj/%.S.o: src/%.S
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -MMD -MP -c $< -o $@

# The files of the page are inside of the first, those that the report has, too,
# inside of the second, and the script of the report inside of the third.
$(BUILD)/obj/serve/http/page_files.S.o: $(wildcard src/serve/http/page/*)
$(BUILD)/obj/web/web_files.S.o: $(wildcard src/web/*)
$(BUILD)/obj/report/page/report_files.S.o: $(wildcard src/report/page/report.*)

$(BUILD)/obj/generated/%.pb-c.c $(BUILD)/obj/generated/%.pb-c.h &: \
		src/report/files/%.proto
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)protoc-c --proto_path=$(<D) --c_out=$(@D) $<

$(BUILD)/obj/generated/%.o: $(BUILD)/obj/generated/%.c
	$(call step,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(BUILD)/obj/report/files/pprof.o: $(GENERATED:.c=.h)

$(LIBRARY): $(filter-out $(BUILD)/obj/ui/main.o,$(OBJECTS))
	$(call step,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/perftool: $(BUILD)/obj/ui/main.o $(LIBRARY)
	$(call step,$@)
	$(Q)$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

# `set mechanism` of build-INT3/perftool begins with int3. Only two objects know
# that; those that come first are linked.
KNOW_MECHANISM := src/probe/probe_state.c src/session/settings/settings.c

$(BUILD)-INT3/perftool: $(KNOW_MECHANISM) $(BUILD)/obj/ui/main.o $(LIBRARY)
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -DDEFAULT_MECHANISM=MECHANISM_INT3 $^ \
		$(LDFLAGS) $(LDLIBS) -o $@

# The tests find their programs beside it.
.PHONY: $(BUILD)-INT3
$(BUILD)-INT3: $(BUILD)-INT3/perftool samples programs
	@cp -alf $(BUILD)/tests $(BUILD)/samples $@

$(BUILD)/$(SONAME): $(SHARED_OBJECTS) src/library/libperftool.map
	$(call step,$@)
	$(Q)$(CC) -shared $(LDFLAGS) -Wl,-soname,$(SONAME) -Wl,-z,defs \
		-Wl,--as-needed -Wl,--version-script=src/library/libperftool.map \
		$(SHARED_OBJECTS) $(SHARED_LIBS) -o $@

$(SHARED): $(BUILD)/$(SONAME)
	ln -sf $(SONAME) $@

# PREFIX is that of the installation, so the file is made again each time.
.PHONY: $(BUILD)/libperftool.pc
$(BUILD)/libperftool.pc: src/library/libperftool.pc.in
	@mkdir -p $(@D)
	$(Q)sed -e 's,@PREFIX@,$(PREFIX),' -e 's,@VERSION@,$(VERSION),' \
		-e 's,@LIBDIR@,$(LIBDIR:$(PREFIX)/%=$${prefix}/%),' $< > $@

# The man page's command section comes from the table that parses.
$(BUILD)/perftool.1: doc/perftool.1.in $(BUILD)/perftool
	$(call step,$@)
	$(Q)$(BUILD)/perftool --man doc/perftool.1.in > $@

# The description of the protocol is kept in the repository, and a test compares
# it with what this goal makes.
doc/PROTOCOL.md: doc/PROTOCOL.md.in $(BUILD)/perftool
	$(call step,$@)
	$(Q)$(BUILD)/perftool --man doc/PROTOCOL.md.in > $@

# So are the reference of options, commands and settings,
doc/reference.md: doc/reference.md.in $(BUILD)/perftool
	$(call step,$@)
	$(Q)$(BUILD)/perftool --man doc/reference.md.in > $@

# and the lists of options in the completions of shells, which are not kept.
$(BUILD)/completion/perftool.%: src/ui/completion/perftool.%.in $(BUILD)/perftool
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(BUILD)/perftool --man $< > $@

# ---- tests, samples, benchmarks ---------------------------------------

# The unit tests are compiled without optimization, which takes half the time (of
# test_expr.c an eighth). A distribution's _FORTIFY_SOURCE needs optimization.
UNIT_FLAGS := $(if $(findstring FORTIFY,$(CPPFLAGS) $(CFLAGS)),,-O0)
# test_sample_unwind.c unwinds a function of its own that must have no frame pointer,
# which needs optimization.
$(BUILD)/tests/obj/unit/test_sample_unwind.o: UNIT_FLAGS :=

# Most changes of the library change no header: then they are only linked anew.
$(BUILD)/tests/obj/unit/%.o: tests/unit/%.c
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(UNIT_FLAGS) -MMD -MP -c $< -o $@

$(BUILD)/tests/unit/%: $(BUILD)/tests/obj/unit/%.o $(LIBRARY)
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $^ $(LDFLAGS) $(LDLIBS) -lcmocka -ldwarf -o $@

# A line ` * Flags: ...` in the comment at their head is for the compiler.
flags = $(shell sed -n 's/^ \* Flags: //p' $<)

$(BUILD)/tests/programs/%: tests/programs/%.c $(wildcard tests/programs/*.h)
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -O1 -g -Wall -Wextra $(FATAL) -D_GNU_SOURCE \
		$(flags) $< -o $@ -lpthread -lm

$(BUILD)/tests/programs/traps_static: tests/programs/traps.c
$(BUILD)/tests/programs/rseq_nopie: tests/programs/rseq.c

$(BUILD)/tests/programs/%: tests/programs/%.cc
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=gnu++17 -O1 -g -Wall -Wextra $(FATAL) $(flags) $< -o $@

$(BUILD)/tests/bench/%: tests/bench/%.c $(wildcard tests/bench/*.h)
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -std=gnu17 -O2 -g -Wall -Wextra $(FATAL) $< -o $@ \
		-lpthread -lm -ldl

# They ask the library itself.
$(addprefix $(BUILD)/tests/bench/,lookup counting): $(BUILD)/tests/bench/%: \
		tests/bench/%.c $(LIBRARY)
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $< $(LIBRARY) $(LDFLAGS) \
		$(LDLIBS) -o $@

# libunwind is measured beside it where it is installed.
$(BUILD)/tests/bench/unwind: tests/bench/unwind.c $(LIBRARY)
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $< $(LIBRARY) $(LDFLAGS) \
		$(LDLIBS) $(if $(wildcard /usr/include/libunwind-ptrace.h \
			/usr/include/*/libunwind-ptrace.h),-lunwind-ptrace \
			-lunwind-generic -lunwind) -o $@

# Not for `make bench`: doc/DEPENDENCIES.md has its figures.
$(BUILD)/tests/bench/libdwarf: tests/bench/libdwarf.c $(LIBRARY)
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $< $(LIBRARY) $(LDFLAGS) \
		$(LDLIBS) -ldwarf -o $@

$(BUILD)/tests/drivers/%: tests/drivers/%.c $(LIBRARY)
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $< $(LIBRARY) $(LDFLAGS) \
		$(LDLIBS) -o $@

$(BUILD)/tests/library/%: tests/library/%.c $(SHARED) include/perftool.h
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -Iinclude $(CFLAGS) -D_GNU_SOURCE $< $(LDFLAGS) -L$(BUILD) \
		'-Wl,-rpath,$(CURDIR)/$(BUILD)' -lperftool -lpthread -o $@

# What the torture suite measures, and what it kills perftool with.
$(BUILD)/tests/torture/victim: $(wildcard tests/torture/victim/*.[ch])
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -O1 -g -Wall -Wextra $(FATAL) -D_GNU_SOURCE -pthread \
		$(filter %.c,$^) -o $@

$(BUILD)/tests/torture/%.so: tests/torture/%.c
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -O1 -g -Wall -Wextra $(FATAL) -D_GNU_SOURCE -fPIC \
		-shared $< -o $@

$(BUILD)/tests/surroundings/%: tests/surroundings/%.c
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -O1 -g -Wall -Wextra $(FATAL) -D_GNU_SOURCE $< -o $@

$(BUILD)/tests/surroundings/%.so: tests/surroundings/%.c
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -O1 -g -Wall -Wextra $(FATAL) -D_GNU_SOURCE -fPIC \
		-shared $< -o $@

samples: $(SAMPLES)
# The programs of samples/labs, which can also be built without the rest.
labs:
	@$(MAKE) --no-print-directory -s -C samples/labs MORE=$(FATAL) \
		BUILD=../../$(BUILD)/labs
programs: $(PROGRAMS) $(DRIVERS) $(CLIENTS)
unit: $(UNIT_TESTS)

# What `demo`, `check` and `check-full` build. The recipe `@:` keeps make from saying that
# a goal is up to date.
.PHONY: for-demo for-check for-full
for-demo: $(BUILD)/perftool samples
	@:
for-check: all unit programs $(TORTURE) $(BUILD)/perftool.1
	@:
for-full: for-check $(CONFINE) $(BUILD)-INT3
	@:

demo: setup-build
	@$(MAKE) --no-print-directory for-demo
	@tests/demo.sh $(BUILD)

# Tests write commands, in which a blank ends a word. This is said before the build.
.PHONY: path-of-tests
path-of-tests:
	@case "$$PWD" in *[[:space:]]*) echo "perftool: there is a blank in the path $$PWD;" \
		"tests need one without (the build and \`make demo' do not)" >&2; exit 1;; esac

# The three tiers of tests; tests/run.sh says what belongs to which.
check: setup-check path-of-tests
	@$(MAKE) --no-print-directory for-check
	@tests/run.sh $(BUILD) core

check-full: setup-check path-of-tests
	@$(MAKE) --no-print-directory for-full
	@tests/run.sh $(BUILD) full

check-quiet: setup-check path-of-tests
	@$(MAKE) --no-print-directory for-check
	@tests/run.sh $(BUILD) quiet

# Faults are put into a copy of the source, one after the other: which test finds it?
check-faults: check
	@tests/faults/try --build $(BUILD)

# A new Debian 13, with nothing but git, gcc and make, in which demo and check run.
check-systems: setup-package
	@tests/systems.sh

# Fifteen minutes are about 10,000,000 hits and 5,000 deaths, on two processors.
TIME ?= 900
JOBS ?= 2
torture: setup-check
	@$(MAKE) --no-print-directory -s all $(TORTURE)
	@tests/torture/torture --build $(BUILD) --time $(TIME) --jobs $(JOBS) \
		$(if $(SEED),--seed $(SEED))

faults: setup-check
	@$(MAKE) --no-print-directory -s all $(TORTURE)
	@tests/torture/faults --build $(BUILD) --jobs $(JOBS)

# Six minutes, on a machine that does nothing else.
ROUNDS ?= 5
bench: setup-check
	@$(MAKE) --no-print-directory -s all $(BENCHES) \
		$(BUILD)/tests/programs/crowd
	@tests/bench/run.sh $(BUILD) $(ROUNDS)

# What doc/ has of the last `make bench`.
bench-plot:
	@tests/bench/plot.sh $(BUILD)

# The objects are those of the program, with what the fuzz targets need in them.
FUZZ_FLAGS := -std=gnu17 -O1 -g -fno-sanitize-recover=undefined
FUZZ_OBJECTS = $(filter-out build-fuzz/obj/ui/main.o,\
	$(patsubst $(BUILD)/obj/%,build-fuzz/obj/%,$(OBJECTS)))

build-fuzz/obj/%.o: src/%.c $(GENERATED)
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)clang $(CPPFLAGS) $(FUZZ_FLAGS) -MMD -MP \
		-fsanitize=fuzzer-no-link,address,undefined -c $< -o $@

build-fuzz/obj/%.S.o: src/%.S
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)clang $(CPPFLAGS) -MMD -MP -c $< -o $@

build-fuzz/obj/generated/%.o: $(BUILD)/obj/generated/%.c
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)clang $(CPPFLAGS) $(FUZZ_FLAGS) \
		-fsanitize=fuzzer-no-link,address,undefined -c $< -o $@

build-fuzz/libperftool.a: $(FUZZ_OBJECTS)
	$(call step,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

build-fuzz/%: tests/fuzz/%.c build-fuzz/libperftool.a
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)clang $(CPPFLAGS) $(FUZZ_FLAGS) -MMD -MP \
		-fsanitize=fuzzer,address,undefined $(filter %.c %.a,$^) \
		$(LDLIBS) -lxml2 -o $@

# It measures this program.
build-fuzz/fuzz_operations: $(BUILD)/tests/programs/rounds
build-fuzz/fuzz_operations: private CPPFLAGS += \
	-DROUNDS_PROGRAM='"$(CURDIR)/$(BUILD)/tests/programs/rounds"'

fuzz-smoke: setup-fuzz
	@$(MAKE) --no-print-directory -s $(FUZZERS)
	@tests/fuzz/run.sh build-fuzz

lint: setup-lint
	@tests/lint.sh

lint-full: setup-lint
	@CHANGED=no tests/lint.sh

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

# ---- installing ---------------------------------------------------------

# Without DESTDIR. Distributions have folders of their own for libraries and for
# the completions of zsh.
LIBDIR ?= $(PREFIX)/lib
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
# Debian's python3 searches a folder of its version below /usr/local.
PYTHONDIR ?= $(PREFIX)/lib/$(if $(filter /usr,$(PREFIX)),python3,$(shell \
	python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])' \
	))/dist-packages
BASHDIR := $(PREFIX)/share/bash-completion/completions
FISHDIR := $(PREFIX)/share/fish/vendor_completions.d
MANDIR := $(PREFIX)/share/man/man1
INCLUDEDIR := $(PREFIX)/include

# All that `install` copies.
installed: $(BUILD)/perftool $(BUILD)/perftool.1 $(SHARED) \
	$(BUILD)/libperftool.pc $(COMPLETIONS)

# Programs are linked with libperftool.so, and run with libperftool.so.0.
install: installed
	install -D -m 755 $(BUILD)/perftool $(DESTDIR)$(PREFIX)/bin/perftool
	install -D -m 644 $(BUILD)/perftool.1 $(DESTDIR)$(MANDIR)/perftool.1
	install -D -m 644 $(BUILD)/completion/perftool.bash \
		$(DESTDIR)$(BASHDIR)/perftool
	install -D -m 644 $(BUILD)/completion/perftool.zsh \
		$(DESTDIR)$(ZSHDIR)/_perftool
	install -D -m 644 $(BUILD)/completion/perftool.fish \
		$(DESTDIR)$(FISHDIR)/perftool.fish
	install -D -m 644 $(BUILD)/$(SONAME) \
		$(DESTDIR)$(LIBDIR)/libperftool.so.$(VERSION)
	ln -sf libperftool.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libperftool.so
	install -D -m 644 $(BUILD)/libperftool.pc \
		$(DESTDIR)$(LIBDIR)/pkgconfig/libperftool.pc
	install -D -m 644 include/perftool.h $(DESTDIR)$(INCLUDEDIR)/perftool.h
	install -D -m 644 include/perftool/mark.h \
		$(DESTDIR)$(INCLUDEDIR)/perftool/mark.h
	install -D -m 644 src/library/python/perftool.py \
		$(DESTDIR)$(PYTHONDIR)/perftool.py

uninstall:
	rm -f $(addprefix $(DESTDIR),$(PREFIX)/bin/perftool $(MANDIR)/perftool.1 \
		$(BASHDIR)/perftool $(ZSHDIR)/_perftool $(FISHDIR)/perftool.fish \
		$(LIBDIR)/libperftool.so.$(VERSION) $(LIBDIR)/$(SONAME) \
		$(LIBDIR)/libperftool.so $(LIBDIR)/pkgconfig/libperftool.pc \
		$(INCLUDEDIR)/perftool.h $(INCLUDEDIR)/perftool/mark.h \
		$(PYTHONDIR)/perftool.py)
	rmdir $(DESTDIR)$(INCLUDEDIR)/perftool 2>/dev/null || true

# ---- publishing -----------------------------------------------------------

DIST ?= build
dist:
	@src/packaging/dist.sh $(VERSION) $(DATE) $(DIST)

deb: setup-deb
	@src/packaging/deb.sh $(VERSION) $(DATE) $(DIST)

# In a new Debian of each kind the packages are built, and in another one installed.
SUITES ?= bookworm trixie
check-package: setup-package
	@for suite in $(SUITES); do \
		SUITE=$$suite PACKAGES=$(DIST)/packages-$$suite tests/systems.sh deb && \
			SUITE=$$suite tests/package/check.sh $(DIST)/packages-$$suite || exit; \
	done

clean:
	rm -rf build build-*

-include $(OBJECTS:.o=.d) $(FUZZ_OBJECTS:.o=.d) $(FUZZERS:=.d) $(DRIVERS:=.d) $(BENCHES:=.d) \
	$(patsubst $(BUILD)/tests/unit/%,$(BUILD)/tests/obj/unit/%.d,$(UNIT_TESTS))
