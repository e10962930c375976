# samples.mk - how the samples are built. The Makefile of the project includes it,
# and so does the one beside the samples in the Debian package perftool-doc.
# $(BUILD) is the folder for what is built.

SAMPLES := $(patsubst samples/%.c,$(BUILD)/samples/%,\
	$(sort $(wildcard samples/*.c samples/front_ends/*.c)))

# Samples and test programs are what users have: never sanitized.
$(BUILD)/samples/%: samples/%.c $(wildcard samples/*.h)
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -O1 -g -Wall -Wextra $(FATAL) -fno-inline \
		-fno-optimize-sibling-calls -D_GNU_SOURCE $(filter %.c,$^) -o $@ \
		-lpthread -lm

# Front ends of `perftool serve`.
$(BUILD)/samples/front_ends/%: samples/front_ends/%.c
	$(call step,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -O1 -g -Wall -Wextra $(FATAL) -D_GNU_SOURCE $< -o $@ \
		-ljson-c

# Two modules, as in the memo.
$(BUILD)/samples/swapper: samples/swapper/segmentsb.c samples/swapper/segments.h
