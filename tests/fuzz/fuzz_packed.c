/*
 * fuzz_packed.c - any bytes as a compressed section
 */
#include "visit_packed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	visit_packed(data, size);
	return 0;
}
