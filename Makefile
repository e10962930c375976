# perftool - build, test, install. `make help` lists the goals.
#
# Nothing needs to be installed by hand on Debian 12: `demo`, `check`, `lint`,
# `bench` and `fuzz-smoke` first run tests/setup.sh, which installs what is
# missing; SETUP=no leaves that out. `make all` builds with what is there.

VERSION := 0.1.0

PREFIX ?= /usr/local
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

# DEFAULT=INT3 or FAST: `set mechanism` begins with that; `make check-mechanisms`
# runs the end-to-end tests with each.
DEFAULT ?= AUTO
ifneq ($(DEFAULT),AUTO)
BUILD := $(BUILD)-$(DEFAULT)
CPPFLAGS += -DDEFAULT_MECHANISM=MECHANISM_$(DEFAULT)
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
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,\
	$(sort $(wildcard tests/unit/test_*.c)))
SAMPLES := $(patsubst samples/%.c,$(BUILD)/samples/%,\
	$(sort $(wildcard samples/*.c samples/front_ends/*.c)))
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
.PHONY: all help samples programs unit demo check lint format bench bench-plot \
	check-mechanisms check-surroundings check-default torture faults \
	fuzz-smoke install uninstall clean

all: $(BUILD)/perftool $(SHARED) $(BUILD)/libperftool.pc samples

help:
	@echo 'make            build/perftool and the samples'
	@echo 'make demo       set up, build, measure a sample, print its tables'
	@echo 'make check      set up, build, run every test (SAN=1: sanitized)'
	@echo 'make check-mechanisms'
	@echo '                the end-to-end tests with int3s, and with jumps'
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
	sed -e 's,@PREFIX@,$(PREFIX),' -e 's,@VERSION@,$(VERSION),' $< > $@

# The man page's command section comes from the table that parses.
$(BUILD)/perftool.1: doc/perftool.1.in $(BUILD)/perftool
	$(BUILD)/perftool --man doc/perftool.1.in > $@

# The description of the protocol is kept in the repository, and a test compares
# it with what this goal makes.
doc/PROTOCOL.md: doc/PROTOCOL.md.in $(BUILD)/perftool
	$(BUILD)/perftool --man doc/PROTOCOL.md.in > $@

# ---- tests, samples, benchmarks ---------------------------------------

# Most changes of the library change no header: then they are only linked anew.
$(BUILD)/tests/obj/unit/%.o: tests/unit/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/tests/unit/%: $(BUILD)/tests/obj/unit/%.o $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $^ $(LDFLAGS) $(LDLIBS) -lcmocka -ldwarf -o $@

# Samples and test programs are what users have: never sanitized.
$(BUILD)/samples/%: samples/%.c $(wildcard samples/*.h)
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -O1 -g -Wall -Wextra -Werror -fno-inline \
		-fno-optimize-sibling-calls -D_GNU_SOURCE $(filter %.c,$^) -o $@ \
		-lpthread -lm

# Front ends of `perftool serve`.
$(BUILD)/samples/front_ends/%: samples/front_ends/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -O1 -g -Wall -Wextra -Werror -D_GNU_SOURCE $< -o $@ \
		-ljson-c

# Two modules, as in the memo.
$(BUILD)/samples/swapper: samples/swapper/segmentsb.c samples/swapper/segments.h

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
programs: $(PROGRAMS) $(DRIVERS) $(CLIENTS)
unit: $(UNIT_TESTS)

demo: setup-build
	@$(MAKE) --no-print-directory -s all
	@tests/demo.sh $(BUILD)

check: setup-check
	@$(MAKE) --no-print-directory -s $(PARALLEL) all unit programs $(TORTURE) \
		$(BUILD)/perftool.1
	@tests/run.sh $(BUILD)

# Whatever counts, counts the same with jumps and with int3s.
check-mechanisms: setup-check
	@for mechanism in INT3 FAST; do \
		$(MAKE) --no-print-directory DEFAULT=$$mechanism check-default || \
			exit; \
	done

# About ten minutes, on two processors.
CONFINE := $(addprefix $(BUILD)/tests/surroundings/,confine forbid.so)
check-surroundings: setup-check
	@$(MAKE) --no-print-directory -s $(PARALLEL) all programs $(CONFINE)
	@PERFTOOL_BUILD=$(BUILD) prove -j2 --timer \
		--exec tests/surroundings/enter \
		$(if $(ONLY),$(ONLY),$$(tests/surroundings/enter --list))

check-default:
	@$(MAKE) --no-print-directory -s $(PARALLEL) all programs $(TORTURE)
	@tests/run.sh $(BUILD) tests/e2e/*.t tests/torture/small.t

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

# Programs are linked with libperftool.so, and run with libperftool.so.0.
LIBDIR = $(DESTDIR)$(PREFIX)/lib
INCLUDEDIR = $(DESTDIR)$(PREFIX)/include
# Debian's python3 searches a folder of its version below /usr/local.
PYTHONDIR = $(LIBDIR)/$(if $(filter /usr,$(PREFIX)),python3,$(shell \
	python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])' \
	))/dist-packages

install: $(BUILD)/perftool $(BUILD)/perftool.1 $(SHARED) $(BUILD)/libperftool.pc
	install -D -m 755 $(BUILD)/perftool $(DESTDIR)$(PREFIX)/bin/perftool
	install -D -m 644 $(BUILD)/perftool.1 \
		$(DESTDIR)$(PREFIX)/share/man/man1/perftool.1
	install -D -m 644 doc/perftool.bash-completion \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/perftool
	install -D -m 755 $(BUILD)/$(SONAME) $(LIBDIR)/libperftool.so.$(VERSION)
	ln -sf libperftool.so.$(VERSION) $(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(LIBDIR)/libperftool.so
	install -D -m 644 $(BUILD)/libperftool.pc $(LIBDIR)/pkgconfig/libperftool.pc
	install -D -m 644 include/perftool.h $(INCLUDEDIR)/perftool.h
	install -D -m 644 include/perftool/mark.h $(INCLUDEDIR)/perftool/mark.h
	install -D -m 644 src/library/python/perftool.py $(PYTHONDIR)/perftool.py

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/perftool \
		$(DESTDIR)$(PREFIX)/share/man/man1/perftool.1 \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/perftool \
		$(LIBDIR)/libperftool.so.$(VERSION) $(LIBDIR)/$(SONAME) \
		$(LIBDIR)/libperftool.so $(LIBDIR)/pkgconfig/libperftool.pc \
		$(INCLUDEDIR)/perftool.h $(INCLUDEDIR)/perftool/mark.h \
		$(PYTHONDIR)/perftool.py

clean:
	rm -rf build build-*

-include $(OBJECTS:.o=.d) $(FUZZ_OBJECTS:.o=.d) $(FUZZERS:=.d) $(DRIVERS:=.d) $(BENCHES:=.d) \
	$(patsubst $(BUILD)/tests/unit/%,$(BUILD)/tests/obj/unit/%.d,$(UNIT_TESTS))
