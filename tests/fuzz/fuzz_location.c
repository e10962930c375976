/*
 * fuzz_location.c - any bytes as a DWARF expression
 */
#include "visit_location.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct debugfile *file;
static uint64_t address;

/* Where variables are looked up. */
__attribute__((noinline, used)) static double subject(int n, double d)
{
	volatile float kept = (float)d;

	return kept + n;
}

static void open_file(void)
{
	if (file)
		return;
	address = itself_open(&file) + 12;
	if (subject(0, 1) > 12345)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	open_file();
	visit_location(file, address, data, size);
	return 0;
}
