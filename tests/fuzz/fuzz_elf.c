/*
 * fuzz_elf.c - any bytes as a file: everything is asked of it
 */
#include "visit_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	visit_bytes(data, size);
	return 0;
}
