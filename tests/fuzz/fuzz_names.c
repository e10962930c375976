/*
 * fuzz_names.c - any text as a function's name, and as what is asked for
 */
#include "visit_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	visit_names(data, size);
	return 0;
}
