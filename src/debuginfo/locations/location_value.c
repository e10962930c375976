/*
 * location_value.c - reads the value at a place that an expression has given
 *
 * A pointer may point to a variable that was optimized out of memory. The
 * reader then puts the value of that variable together in the scratch, and so
 * on if it is a pointer of this kind, too. Depth and number of these steps are
 * limited.
 */
#include <string.h>

#include "debuginfo/types/types.h"
#include "location_expression.h"
#include "location_list.h"
#include "perftool/debuginfo/frame_rules.h"

static struct error *resolve(const void *context, const struct piece *piece,
			     uint64_t *address);

struct error *location_read(const struct location_context *context,
			    const struct place *place, uint8_t *bytes,
			    size_t size, uint8_t *missing)
{
	return place_read(context->reader, place, resolve, context, bytes, size,
			  missing);
}

static bool is_all_missing(const uint8_t *missing, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!(missing[i / 8] >> (i % 8) & 1))
			return false;
	return true;
}

/* Like location_address(), but if all bytes are optimized out, set *gone
 * instead of returning an error. None of the bytes can then be read at the
 * address. */
static struct error *find_address(const struct location_context *context,
				  const struct place *place, uint64_t size,
				  uint64_t *out, bool *gone)
{
	uint8_t missing[SCRATCH_SIZE / 8], *bytes;
	uint64_t address;

	*gone = false;
	if (place_in_memory(place, out))
		return NULL;
	if (!size && place->count == 1 &&
	    place->pieces[0].kind == PIECE_BYTES) /* a string literal */
		size = place->pieces[0].bytes.size;
	if (!size)
		return error_create(
			ERROR_EVALUATE,
			"it is in a register or a constant and not in memory, "
			"and perftool cannot copy it, because the size of its "
			"type is not known");
	if (size > SCRATCH_SIZE)
		size = SCRATCH_SIZE; /* scratch_take() refuses this size */
	TRY(scratch_take(context->reader, (size_t)size, &bytes, &address));
	TRY(location_read(context, place, bytes, (size_t)size, missing));
	*gone = is_all_missing(missing, (size_t)size);
	scratch_mark(context->reader, address, missing, (size_t)size);
	*out = address;
	return NULL;
}

struct error *location_address(const struct location_context *context,
			       const struct place *place, uint64_t size,
			       uint64_t *out)
{
	bool gone;

	TRY(find_address(context, place, size, out, &gone));
	return gone ? error_create(ERROR_EVALUATE, "optimized out") : NULL;
}

/* Find the address of the variable that a PIECE_POINTER points to. If this
 * variable is not in memory, put it into the scratch, and give its address
 * there. */
static struct error *resolve(const void *context_, const struct piece *piece,
			     uint64_t *address)
{
	struct location_context context =
		*(const struct location_context *)context_;
	struct unit *unit = unit_of_die(context.file, piece->value);
	struct error *error;
	struct place place;
	struct die die;
	bool gone;

	if (!unit || !die_read(context.file, unit, piece->value, &die) ||
	    !die.abbrev || !location_enter(&context))
		return error_create(ERROR_EVALUATE,
				    "optimized out: what it points to has no "
				    "place in memory");
	context.unit = unit;
	error = location_of_die(&context, &die, &place);
	/* A pointer still has a value if its target is optimized out. */
	if (error && str_equal(error_message(error), "optimized out")) {
		error_destroy(error);
		place.count = 1;
		place.pieces[0] = (struct piece){.kind = PIECE_NOWHERE};
	} else if (error) {
		return error;
	}
	TRY(find_address(&context, &place,
			 debugtype_size(debugtype_of(context.file, &die)),
			 address, &gone));
	*address += (uint64_t)piece->offset;
	return NULL;
}

bool location_constant(struct debugfile *file, const struct die *die,
		       struct piece *out)
{
	struct attribute attribute;

	if (!die_inherited(file, die, DW_AT_const_value, &attribute))
		return false;
	*out = (struct piece){.kind = PIECE_NUMBER, .size = 16};
	switch (attribute.class) {
	case ATTRIBUTE_BLOCK:
		out->kind = PIECE_BYTES;
		out->bytes = attribute.block;
		return true;
	case ATTRIBUTE_STRING:
		out->kind = PIECE_BYTES;
		out->bytes = (struct bytes){(const uint8_t *)attribute.string,
					    strlen(attribute.string) + 1};
		return true;
	case ATTRIBUTE_UNSIGNED:
	case ATTRIBUTE_FLAG:
		out->number = attribute.number;
		return true;
	case ATTRIBUTE_SIGNED:
		out->number =
			(unsigned __int128)(__int128)(int64_t)attribute.number;
		return true;
	default:
		return false;
	}
}

struct error *location_of_die(const struct location_context *context,
			      const struct die *die, struct place *out)
{
	struct bytes expression;
	bool is_list;

	if (location_list_of(context->file, die, DW_AT_location,
			     context->address, &expression, &is_list))
		return location_find(context, expression, out);
	out->count = 1;
	if (!location_constant(context->file, die, &out->pieces[0]))
		return error_create(ERROR_EVALUATE, "optimized out");
	return NULL;
}
