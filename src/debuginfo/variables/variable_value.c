/*
 * variable_value.c - reads the value, the address and the current type of a
 * variable, with the registers and memory of a thread
 *
 * The current type differs from the declared type only if the variable is an
 * array of variable length: the current type has the number of elements that
 * the array has at this moment.
 */
#include <string.h>

#include "debuginfo/locations/locations.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"
#include "variable.h"

/* The most dimensions for which the length of an array of variable length is
 * read. */
#define MAX_DIMENSIONS 8

static struct error *unreadable(uint64_t address)
{
	return error_create(ERROR_EVALUATE, "memory at %#lx cannot be read",
			    address);
}

static struct location_context context_of(const struct variable *variable,
					  const struct frame_reader *reader,
					  unsigned *left)
{
	return (struct location_context){
		.reader = reader,
		.file = variable->file,
		.unit = variable->unit,
		.frame_base = variable->frame_base,
		.address = variable->address,
		.cfa = &variable->cfa,
		.left = left,
		.function =
			variable->function.abbrev ? &variable->function : NULL,
	};
}

static struct error *symbol_address(const struct variable *variable,
				    const struct frame_reader *reader,
				    uint64_t *out)
{
	const struct data_symbol *symbol = &variable->symbol;

	if (symbol->is_thread_local)
		return tls_address(variable->file, reader, symbol->address,
				   out);
	*out = symbol->address + reader->bias;
	return NULL;
}

static struct error *locate(const struct location_context *context,
			    const struct variable *variable, struct place *out)
{
	uint64_t address;

	switch (variable->source) {
	case SOURCE_CONSTANT:
		out->count = 1;
		out->pieces[0] = variable->constant;
		return NULL;
	case SOURCE_LOCATION:
		if (variable->is_in_frame &&
		    location_known_cfa(context, &address)) {
			address += (uint64_t)variable->frame_offset;
			out->count = 1;
			out->pieces[0] = (struct piece){.kind = PIECE_MEMORY,
							.value = address};
			return NULL;
		}
		return location_find(context, variable->location, out);
	case SOURCE_ENTRY:
		return entry_locate(&variable->entry, context->reader, out);
	case SOURCE_SYMBOL:
		TRY(symbol_address(variable, context->reader, &address));
		out->count = 1;
		out->pieces[0] =
			(struct piece){.kind = PIECE_MEMORY, .value = address};
		return NULL;
	case SOURCE_NOWHERE:
		break;
	}
	if (variable->elsewhere.length)
		return error_create(ERROR_EVALUATE, "optimized out here%s",
				    str_text(&variable->elsewhere));
	return error_create(ERROR_EVALUATE, "optimized out");
}

static bool is_reference(const struct variable *variable)
{
	return debugtype_kind(variable->type) == DEBUGTYPE_REFERENCE;
}

/* Read the address that the C++ reference at `place` holds. */
static struct error *read_reference(const struct location_context *context,
				    const struct place *place,
				    uint64_t *address)
{
	return location_read(context, place, (uint8_t *)address,
			     sizeof(*address), NULL);
}

struct error *variable_address(const struct variable *variable,
			       const struct frame_reader *reader, uint64_t *out)
{
	unsigned left = LOCATION_MAX_NESTED;
	struct location_context context = context_of(variable, reader, &left);
	struct place place;

	TRY(locate(&context, variable, &place));
	if (is_reference(variable))
		return read_reference(&context, &place, out);
	return location_address(&context, &place,
				debugtype_size(variable->type), out);
}

static struct value float_value(const uint8_t *bytes, uint64_t size)
{
	long double extended;
	double whole;
	float half;

	switch (size) {
	case 4:
		memcpy(&half, bytes, sizeof(half));
		return value_float((double)half);
	case 8:
		memcpy(&whole, bytes, sizeof(whole));
		return value_float(whole);
	default:
		memcpy(&extended, bytes, sizeof(extended));
		return value_float((double)extended);
	}
}

/* Make the value of a scalar of this type from its bytes. */
static struct value to_value(struct debugtype *type, const uint8_t *bytes)
{
	uint64_t size = debugtype_size(type), number = 0;
	unsigned unused = 64 - (unsigned)size * 8;

	if (debugtype_kind(type) == DEBUGTYPE_FLOAT)
		return float_value(bytes, size);
	memcpy(&number, bytes, (size_t)size);
	if (debugtype_kind(type) == DEBUGTYPE_BOOL)
		number = number != 0;
	if (debugtype_is_signed(type))
		return value_signed((int64_t)(number << unused) >> unused);
	return value_unsigned(number);
}

static bool is_scalar(struct debugtype *type)
{
	uint64_t size = debugtype_size(type);

	switch (debugtype_kind(type)) {
	case DEBUGTYPE_FLOAT:
		return size == 4 || size == 8 || size == 16;
	case DEBUGTYPE_BOOL:
	case DEBUGTYPE_INTEGER:
	case DEBUGTYPE_CHARACTER:
	case DEBUGTYPE_ENUM:
	case DEBUGTYPE_POINTER:
	case DEBUGTYPE_REFERENCE:
		return size >= 1 && size <= 8;
	default:
		return false;
	}
}

struct error *variable_read(const struct variable *variable,
			    const struct frame_reader *reader,
			    struct value *out)
{
	struct debugtype *type = variable_debugtype(variable);
	unsigned left = LOCATION_MAX_NESTED;
	struct location_context context = context_of(variable, reader, &left);
	uint8_t bytes[16] = {0};
	struct place place;
	uint64_t address;
	bool in_memory;
	size_t size;

	/* For a variable that is not a scalar (an array, a structure), the
	 * result is its address. */
	if (!is_scalar(type)) {
		TRY(variable_address(variable, reader, &address));
		*out = value_unsigned(address);
		return NULL;
	}
	TRY(locate(&context, variable, &place));
	size = (size_t)debugtype_size(type);
	in_memory = is_reference(variable);
	if (in_memory)
		TRY(read_reference(&context, &place, &address));
	else
		in_memory = place_in_memory(&place, &address);
	if (!in_memory)
		TRY(location_read(&context, &place, bytes, size, NULL));
	else if (!frame_read(reader, address, bytes, size))
		return unreadable(address);
	*out = to_value(type, bytes);
	return NULL;
}

bool variable_is_local(const struct variable *variable)
{
	return variable->is_local;
}

struct debugtype *variable_debugtype(const struct variable *variable)
{
	return is_reference(variable) ? debugtype_target(variable->type)
				      : variable->type;
}

struct debugfile *variable_file(const struct variable *variable)
{
	return variable->file;
}

const char *variable_declared(const struct variable *variable)
{
	return variable->declared;
}

bool variable_is_external(const struct variable *variable)
{
	return variable->is_external;
}

struct debugtype *variable_reference(const struct variable *variable)
{
	return is_reference(variable) ? variable->type : NULL;
}

/* ---- arrays of variable length ------------------------------------------- */

/* Read the variable `die`, which the compiler made to hold the length or the
 * last index of an array. */
static struct error *read_length(const struct location_context *context,
				 const struct die *die, uint64_t *out)
{
	uint64_t size = debugtype_size(debugtype_of(context->file, die));
	struct place place;

	*out = 0;
	TRY(location_of_die(context, die, &place));
	return location_read(context, &place, (uint8_t *)out,
			     size && size < 8 ? (size_t)size : 8, NULL);
}

/* Find the number of elements that the array has at this moment. False: not
 * known. */
static bool current_count(const struct location_context *context,
			  struct debugtype *array, uint64_t *count)
{
	static const unsigned names[] = {DW_AT_count, DW_AT_upper_bound};
	struct debugfile *file = context->file;
	struct die subrange, length;

	if (debugtype_count(array, count))
		return true;
	if (!debugtype_subrange(array, &subrange))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct error *error;
		struct attribute attribute;
		struct number number;

		if (!die_attribute(file, &subrange, names[i], &attribute))
			continue;
		if (attribute.class == ATTRIBUTE_BLOCK) {
			error = location_number(context, attribute.block,
						&number);
			*count = error ? 0 : (uint64_t)number.bits;
		} else if (die_reference(file, &subrange, names[i], &length)) {
			error = read_length(context, &length, count);
		} else {
			continue;
		}
		/* The last index is one less than the number of elements. */
		*count += names[i] == DW_AT_upper_bound;
		error_destroy(error);
		return !error;
	}
	return false;
}

static struct debugtype *current_type(const struct location_context *context,
				      struct debugtype *type, int depth)
{
	struct debugtype *element;
	uint64_t count;

	if (debugtype_kind(type) != DEBUGTYPE_ARRAY || debugtype_size(type) ||
	    depth == MAX_DIMENSIONS || !current_count(context, type, &count))
		return type;
	element = current_type(context, debugtype_target(type), depth + 1);
	return debugtype_sized(type, element, count);
}

struct debugtype *variable_current_type(const struct variable *variable,
					const struct frame_reader *reader)
{
	unsigned left = LOCATION_MAX_NESTED;
	struct location_context context = context_of(variable, reader, &left);

	return current_type(&context, variable_debugtype(variable), 0);
}
