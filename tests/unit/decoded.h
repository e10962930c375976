/*
 * decoded.h - an instruction of a test, written as hexadecimal digits
 */
#ifndef TEST_DECODED_H
#define TEST_DECODED_H

#include "perftool/arch.h"

/* It must decode, and use all of the bytes. */
static inline struct insn decoded(const char *hex, uint64_t address)
{
	uint8_t bytes[ARCH_MAX_INSN];
	struct insn insn = {0};
	size_t size = 0;
	unsigned byte;

	for (; size < sizeof(bytes) && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		bytes[size++] = (uint8_t)byte;
	assert_null(arch_decode(bytes, size, address, &insn));
	assert_int_equal(insn.address, address);
	assert_int_equal(insn.length, size);
	assert_memory_equal(insn.bytes, bytes, size);
	return insn;
}

#endif
