/*
 * fuzz_dwarf.c - any bytes as debug information, in a file that is sound
 */
#include "visit_dwarf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	visit_dwarf(data, size);
	return 0;
}
