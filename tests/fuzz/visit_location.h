/*
 * visit_location.h - bytes as a DWARF expression
 *
 * It is evaluated as the location of a variable of this very program, whose
 * types and call sites it can refer to, over memory of which a part can be
 * read.
 */
#ifndef VISIT_LOCATION_H
#define VISIT_LOCATION_H

#include <stdlib.h>
#include <string.h>

#include "debuginfo/locations/locations.h"
#include "itself.h"
#include "perftool/base/alloc.h"
#include "perftool/debuginfo/frame_rules.h"

/* Every seventh page is not there. */
static inline bool location_vectors(void *context,
				    struct user_fpregs_struct *out)
{
	(void)context;
	memset(out, 0x3f, sizeof(*out));
	return true;
}

/* `address` is one of the code of `file`, in a unit with types. */
static inline void visit_location(struct debugfile *file, uint64_t address,
				  const uint8_t *data, size_t size)
{
	struct user_regs_struct regs = {
		.rip = address, .rsp = 0x7ffc1000, .rbp = 0x7ffc2000};
	struct scratch scratch = {.used = 0};
	struct frame_reader reader = {.read = itself_memory,
				      .regs = &regs,
				      .read_vectors = location_vectors,
				      .scratch = &scratch};
	static const uint8_t frame_base[] = {DW_OP_call_frame_cfa};
	unsigned left = LOCATION_MAX_NESTED;
	uint64_t object = 0x7ffc3000, number = 7;
	struct location_context context = {
		.reader = &reader,
		.file = file,
		.unit = unit_at(file, address),
		.frame_base = {frame_base, sizeof(frame_base)},
		.address = address,
		.object = &object,
		.left = &left,
	};
	/* for the sanitizer to see where it ends */
	uint8_t *copy = xmalloc(size + 1), bytes[64], missing[64];
	struct bytes expression = {copy, size};
	struct number result;
	struct place place;
	struct error *error;

	memcpy(copy, data, size);
	error = location_find(&context, expression, &place);
	if (!error)
		error = location_read(&context, &place, bytes, sizeof(bytes),
				      missing);
	error_destroy(error);
	error_destroy(location_number(&context, expression, &result));
	/* as call frame information has them */
	context = (struct location_context){.reader = &reader};
	error_destroy(
		location_evaluate(&context, expression, &number, &object));
	free(copy);
}

#endif
