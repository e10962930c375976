# perftool - build, test, install. `make help` lists the goals.
#
# Nothing needs to be installed by hand on Debian 12: `demo`, `check`, `lint`,
# `bench`, `fuzz-smoke`, `deb` and `check-package` first run tests/setup.sh, which
# installs what is missing; SETUP=no leaves that out. `make all` builds with what
# is there.

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

OPT ?= -O2 -g
WARNINGS := -Wall -Wextra -Werror -Wconversion -Wshadow -Wstrict-prototypes \
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
.PHONY: all help samples labs programs unit demo check lint format bench bench-plot \
	check-mechanisms check-surroundings torture faults \
	fuzz-smoke installed install uninstall dist deb check-package clean

all: $(BUILD)/perftool $(SHARED) $(BUILD)/libperftool.pc $(COMPLETIONS) samples \
	labs

include samples/samples.mk

help:
	@echo 'make            build/perftool and the samples'
	@echo 'make demo       set up, build, measure a sample, print its tables'
	@echo 'make labs       the programs of the labs of a course, in build/labs'
	@echo 'make check      set up, build, run every test (SAN=1: sanitized)'
	@echo 'make check-mechanisms'
	@echo '                tests of what counts, with int3s alone'
	@echo 'make check-surroundings'
	@echo '                the core of them with other clocks, limits, rights,'
	@echo '                file systems (ONLY=NAME, as root)'
	@echo 'make lint       layers, formatting, cppcheck, clang-tidy, clang'
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
	@echo '                install, try and remove them in a new Debian (as'
	@echo '                root; it comes from the network)'

# What the tests need is built by as many jobs as there are processors, unless
# make was told a number of jobs.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

setup-%:
	@[ '$(SETUP)' = no ] || tests/setup.sh $*

# ---- the program ------------------------------------------------------

$(BUILD)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/obj/%.S.o: src/%.S
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -MMD -MP -c $< -o $@

# The files of the page are inside of the first, those that the report has, too,
# inside of the second, and the script of the report inside of the third.
$(BUILD)/obj/serve/http/page_files.S.o: $(wildcard src/serve/http/page/*)
$(BUILD)/obj/web/web_files.S.o: $(wildcard src/web/*)
$(BUILD)/obj/report/page/report_files.S.o: $(wildcard src/report/page/report.*)

$(BUILD)/obj/generated/%.pb-c.c $(BUILD)/obj/generated/%.pb-c.h &: \
		src/report/files/%.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=$(<D) --c_out=$(@D) $<

$(BUILD)/obj/generated/%.o: $(BUILD)/obj/generated/%.c
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(BUILD)/obj/report/files/pprof.o: $(GENERATED:.c=.h)

$(LIBRARY): $(filter-out $(BUILD)/obj/ui/main.o,$(OBJECTS))
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/perftool: $(BUILD)/obj/ui/main.o $(LIBRARY)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

# `set mechanism` of build-INT3/perftool begins with int3. Only two objects know
# that; those that come first are linked.
KNOW_MECHANISM := src/probe/probe_state.c src/session/settings/settings.c

$(BUILD)-INT3/perftool: $(KNOW_MECHANISM) $(BUILD)/obj/ui/main.o $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -DDEFAULT_MECHANISM=MECHANISM_INT3 $^ \
		$(LDFLAGS) $(LDLIBS) -o $@

# The tests find their programs beside it.
.PHONY: $(BUILD)-INT3
$(BUILD)-INT3: $(BUILD)-INT3/perftool samples programs
	@cp -alf $(BUILD)/tests $(BUILD)/samples $@

$(BUILD)/$(SONAME): $(SHARED_OBJECTS) src/library/libperftool.map
	$(CC) -shared $(LDFLAGS) -Wl,-soname,$(SONAME) -Wl,-z,defs \
		-Wl,--as-needed -Wl,--version-script=src/library/libperftool.map \
		$(SHARED_OBJECTS) $(SHARED_LIBS) -o $@

$(SHARED): $(BUILD)/$(SONAME)
	ln -sf $(SONAME) $@

# PREFIX is that of the installation, so the file is made again each time.
.PHONY: $(BUILD)/libperftool.pc
$(BUILD)/libperftool.pc: src/library/libperftool.pc.in
	@mkdir -p $(@D)
	sed -e 's,@PREFIX@,$(PREFIX),' -e 's,@VERSION@,$(VERSION),' \
		-e 's,@LIBDIR@,$(LIBDIR:$(PREFIX)/%=$${prefix}/%),' $< > $@

# The man page's command section comes from the table that parses.
$(BUILD)/perftool.1: doc/perftool.1.in $(BUILD)/perftool
	$(BUILD)/perftool --man doc/perftool.1.in > $@

# The description of the protocol is kept in the repository, and a test compares
# it with what this goal makes.
doc/PROTOCOL.md: doc/PROTOCOL.md.in $(BUILD)/perftool
	$(BUILD)/perftool --man doc/PROTOCOL.md.in > $@

# So are the reference of options, commands and settings,
doc/reference.md: doc/reference.md.in $(BUILD)/perftool
	$(BUILD)/perftool --man doc/reference.md.in > $@

# and the lists of options in the completions of shells, which are not kept.
$(BUILD)/completion/perftool.%: src/ui/completion/perftool.%.in $(BUILD)/perftool
	@mkdir -p $(@D)
	$(BUILD)/perftool --man $< > $@

# ---- tests, samples, benchmarks ---------------------------------------

# Most changes of the library change no header: then they are only linked anew.
$(BUILD)/tests/obj/unit/%.o: tests/unit/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/tests/unit/%: $(BUILD)/tests/obj/unit/%.o $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $^ $(LDFLAGS) $(LDLIBS) -lcmocka -ldwarf -o $@

# A line ` * Flags: ...` in the comment at their head is for the compiler.
flags = $(shell sed -n 's/^ \* Flags: //p' $<)

$(BUILD)/tests/programs/%: tests/programs/%.c $(wildcard tests/programs/*.h)
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -O1 -g -Wall -Wextra -Werror -D_GNU_SOURCE \
		$(flags) $< -o $@ -lpthread -lm

$(BUILD)/tests/programs/traps_static: tests/programs/traps.c
$(BUILD)/tests/programs/rseq_nopie: tests/programs/rseq.c

$(BUILD)/tests/programs/%: tests/programs/%.cc
	@mkdir -p $(@D)
	$(CXX) -std=gnu++17 -O1 -g -Wall -Wextra -Werror $(flags) $< -o $@

$(BUILD)/tests/bench/%: tests/bench/%.c $(wildcard tests/bench/*.h)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -std=gnu17 -O2 -g -Wall -Wextra -Werror $< -o $@ \
		-lpthread -lm -ldl

# They ask the library itself.
$(addprefix $(BUILD)/tests/bench/,lookup counting): $(BUILD)/tests/bench/%: \
		tests/bench/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $< $(LIBRARY) $(LDFLAGS) \
		$(LDLIBS) -o $@

# libunwind is measured beside it where it is installed.
$(BUILD)/tests/bench/unwind: tests/bench/unwind.c $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $< $(LIBRARY) $(LDFLAGS) \
		$(LDLIBS) $(if $(wildcard /usr/include/libunwind-ptrace.h \
			/usr/include/*/libunwind-ptrace.h),-lunwind-ptrace \
			-lunwind-generic -lunwind) -o $@

# Not for `make bench`: doc/DEPENDENCIES.md has its figures.
$(BUILD)/tests/bench/libdwarf: tests/bench/libdwarf.c $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $< $(LIBRARY) $(LDFLAGS) \
		$(LDLIBS) -ldwarf -o $@

$(BUILD)/tests/drivers/%: tests/drivers/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $< $(LIBRARY) $(LDFLAGS) \
		$(LDLIBS) -o $@

$(BUILD)/tests/library/%: tests/library/%.c $(SHARED) include/perftool.h
	@mkdir -p $(@D)
	$(CC) -Iinclude $(CFLAGS) -D_GNU_SOURCE $< $(LDFLAGS) -L$(BUILD) \
		-Wl,-rpath,$(abspath $(BUILD)) -lperftool -lpthread -o $@

# What the torture suite measures, and what it kills perftool with.
$(BUILD)/tests/torture/victim: $(wildcard tests/torture/victim/*.[ch])
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -O1 -g -Wall -Wextra -Werror -D_GNU_SOURCE -pthread \
		$(filter %.c,$^) -o $@

$(BUILD)/tests/torture/%.so: tests/torture/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -O1 -g -Wall -Wextra -Werror -D_GNU_SOURCE -fPIC \
		-shared $< -o $@

$(BUILD)/tests/surroundings/%: tests/surroundings/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -O1 -g -Wall -Wextra -Werror -D_GNU_SOURCE $< -o $@

$(BUILD)/tests/surroundings/%.so: tests/surroundings/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -O1 -g -Wall -Wextra -Werror -D_GNU_SOURCE -fPIC \
		-shared $< -o $@

samples: $(SAMPLES)
# The programs of samples/labs, which can also be built without the rest.
labs:
	@$(MAKE) --no-print-directory -s -C samples/labs MORE=-Werror \
		BUILD=$(abspath $(BUILD))/labs
programs: $(PROGRAMS) $(DRIVERS) $(CLIENTS)
unit: $(UNIT_TESTS)

demo: setup-build
	@$(MAKE) --no-print-directory -s all
	@tests/demo.sh $(BUILD)

check: setup-check
	@$(MAKE) --no-print-directory -s $(PARALLEL) all unit programs $(TORTURE) \
		$(BUILD)/perftool.1
	@tests/run.sh $(BUILD)

# Whatever counts, counts the same with int3s as with the default, which makes
# jumps where they are possible. (`set mechanism fast` does that, too.)
check-mechanisms: setup-check
	@$(MAKE) --no-print-directory -s $(PARALLEL) $(BUILD)-INT3
	@tests/run.sh $(BUILD)-INT3 --mechanism

# Some minutes, on two processors.
CONFINE := $(addprefix $(BUILD)/tests/surroundings/,confine forbid.so)
check-surroundings: setup-check
	@$(MAKE) --no-print-directory -s $(PARALLEL) all programs $(CONFINE)
	@PERFTOOL_BUILD=$(BUILD) prove -j2 --timer \
		--exec tests/surroundings/enter \
		$(if $(ONLY),$(ONLY),$$(tests/surroundings/enter --list))

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
	@mkdir -p $(@D)
	clang $(CPPFLAGS) $(FUZZ_FLAGS) -MMD -MP \
		-fsanitize=fuzzer-no-link,address,undefined -c $< -o $@

build-fuzz/obj/%.S.o: src/%.S
	@mkdir -p $(@D)
	clang $(CPPFLAGS) -MMD -MP -c $< -o $@

build-fuzz/obj/generated/%.o: $(BUILD)/obj/generated/%.c
	@mkdir -p $(@D)
	clang $(CPPFLAGS) $(FUZZ_FLAGS) \
		-fsanitize=fuzzer-no-link,address,undefined -c $< -o $@

build-fuzz/libperftool.a: $(FUZZ_OBJECTS)
	@rm -f $@
	$(AR) rcs $@ $^

build-fuzz/%: tests/fuzz/%.c build-fuzz/libperftool.a
	@mkdir -p $(@D)
	clang $(CPPFLAGS) $(FUZZ_FLAGS) -MMD -MP \
		-fsanitize=fuzzer,address,undefined $(filter %.c %.a,$^) \
		$(LDLIBS) -lxml2 -o $@

# It measures this program.
build-fuzz/fuzz_operations: $(BUILD)/tests/programs/rounds
build-fuzz/fuzz_operations: private CPPFLAGS += \
	-DROUNDS_PROGRAM='"$(abspath $(BUILD)/tests/programs/rounds)"'

fuzz-smoke: setup-fuzz
	@$(MAKE) --no-print-directory -s $(FUZZERS)
	@tests/fuzz/run.sh build-fuzz

lint: setup-lint
	@tests/lint.sh

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

check-package: setup-package deb
	@tests/package/check.sh $(DIST)

clean:
	rm -rf build build-*

-include $(OBJECTS:.o=.d) $(FUZZ_OBJECTS:.o=.d) $(FUZZERS:=.d) $(DRIVERS:=.d) $(BENCHES:=.d) \
	$(patsubst $(BUILD)/tests/unit/%,$(BUILD)/tests/obj/unit/%.d,$(UNIT_TESTS))
