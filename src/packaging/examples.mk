# Builds the samples and the programs of the labs. Copy this folder to one of your
# own first:
#
#     cp -r /usr/share/doc/perftool/examples ~/perftool && cd ~/perftool
#     make demo
#
# After that the commands of the documents work as they stand there.

CC = gcc
BUILD := build

.PHONY: all samples labs demo clean
all: samples labs

include samples/samples.mk

# watch_legs needs libjson-c-dev.
ifeq ($(wildcard /usr/include/json-c/json.h),)
SAMPLES := $(filter-out $(BUILD)/samples/front_ends/%,$(SAMPLES))
endif

samples: $(SAMPLES)

labs:
	$(MAKE) -C samples/labs BUILD=$(abspath $(BUILD))/labs

demo: samples
	perftool -q -n -b -o - -x samples/swapper.pt $(BUILD)/samples/swapper

clean:
	rm -rf $(BUILD)
