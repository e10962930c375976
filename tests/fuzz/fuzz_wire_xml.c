/*
 * fuzz_wire_xml.c - any bytes as messages of a front end in XML
 *
 * The first byte of the input says in which pieces the rest is sent, after a
 * `<`.
 */
#include "visit_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	visit_wire('<', data, size);
	return 0;
}
