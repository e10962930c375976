/*
 * fuzz_static_probes.c - any bytes as the notes of static probes, and as the
 * operands of their arguments
 *
 * The first eight bytes are the address of .stapsdt.base.
 */
#include <string.h>

#include "debuginfo/elf/static_probes.h"
#include "perftool/base/alloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_arguments(const char *text)
{
	struct probe_argument argument;
	unsigned count = probe_argument_count(text);

	for (unsigned i = 0; i <= count && i < 20; i++)
		if (probe_argument_parse(text, i, &argument) &&
		    (i == count || !argument.size || argument.size > 8))
			__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct static_probe_list probes = {0};
	char *text = xstrndup((const char *)data, size);
	uint64_t base = 0;

	parse_arguments(text);
	free(text);
	if (size < sizeof(base))
		return 0;
	memcpy(&base, data, sizeof(base));
	static_probes_parse(
		(struct bytes){data + sizeof(base), size - sizeof(base)}, base,
		&probes);
	for (size_t i = 0; i < probes.count; i++)
		parse_arguments(probes.data[i].arguments);
	vec_free(&probes);
	return 0;
}
