/*
 * variable_read.c - the value of a variable at a hit
 */
#include <string.h>

#include "location.h"
#include "perftool/arch.h"
#include "variable.h"

static struct error *unreadable(uint64_t address)
{
	return error_create(ERROR_EVALUATE, "memory at %#lx cannot be read",
			    address);
}

/* A floating-point number of 4, 8 or 16 bytes. */
static struct error *to_float(const struct variable *variable,
			      const uint8_t *bytes, struct value *out)
{
	const char *name = variable->type_name;
	long double extended;
	double whole;
	float half;

	switch (variable->type.size) {
	case 4:
		memcpy(&half, bytes, sizeof(half));
		*out = value_float((double)half);
		return NULL;
	case 8:
		memcpy(&whole, bytes, sizeof(whole));
		*out = value_float(whole);
		return NULL;
	default:
		if (!name || !strstr(name, "long double"))
			return error_create(ERROR_EVALUATE,
					    "numbers of type %s cannot be read",
					    name ? name : "?");
		memcpy(&extended, bytes, sizeof(extended));
		*out = value_float((double)extended);
		return NULL;
	}
}

/* The value whose bytes these are (`type.size` of them, at most 16). */
static struct error *to_value(const struct variable *variable,
			      const uint8_t *bytes, struct value *out)
{
	unsigned size = (unsigned)variable->type.size;
	unsigned bits = 64 - size * 8;
	uint64_t number = 0;

	if (variable->type.kind == VARIABLE_FLOAT)
		return to_float(variable, bytes, out);
	memcpy(&number, bytes, size);
	if (variable->type.is_boolean)
		number = number != 0;
	if (variable->type.kind == VARIABLE_SIGNED)
		*out = value_signed((int64_t)(number << bits) >> bits);
	else
		*out = value_unsigned(number);
	return NULL;
}

static struct error *read_memory(const struct variable *variable,
				 const struct frame_reader *reader,
				 uint64_t address, struct value *out)
{
	uint8_t bytes[16] = {0};

	if (variable->type.is_reference) {
		uint64_t target;

		if (!reader->read(reader->context, address, &target,
				  sizeof(target)))
			return unreadable(address);
		address = target;
	}
	if (variable->type.kind == VARIABLE_OTHER) {
		*out = value_unsigned(address);
		return NULL;
	}
	if (!reader->read(reader->context, address, bytes,
			  (size_t)variable->type.size))
		return unreadable(address);
	return to_value(variable, bytes, out);
}

/* From a number that is the variable (or, of a reference, its address). */
static struct error *from_number(const struct variable *variable,
				 const struct frame_reader *reader,
				 uint64_t number, struct value *out)
{
	uint8_t bytes[16] = {0};

	if (variable->type.is_reference) {
		struct variable target = *variable;

		target.type.is_reference = false;
		return read_memory(&target, reader, number, out);
	}
	if (variable->type.kind == VARIABLE_OTHER || variable->type.size > 8)
		return error_create(ERROR_EVALUATE,
				    "it is in a register and has no address");
	memcpy(bytes, &number, sizeof(number));
	return to_value(variable, bytes, out);
}

static struct error *from_bytes(const struct variable *variable,
				struct bytes constant, struct value *out)
{
	uint8_t bytes[16] = {0};

	if (variable->type.kind == VARIABLE_OTHER ||
	    variable->type.is_reference ||
	    constant.size < variable->type.size ||
	    variable->type.size > sizeof(bytes))
		return error_create(ERROR_EVALUATE,
				    "it is a constant that has no address");
	memcpy(bytes, constant.data, (size_t)variable->type.size);
	return to_value(variable, bytes, out);
}

static struct error *read_register(const struct variable *variable,
				   const struct frame_reader *reader,
				   uint64_t number, struct value *out)
{
	uint64_t value;

	if (number > UINT8_MAX ||
	    !arch_dwarf_register((unsigned)number, reader->regs, &value))
		return error_create(ERROR_EVALUATE,
				    "it is in a vector register, which cannot "
				    "be read");
	return from_number(variable, reader, value, out);
}

static struct error *read_location(const struct variable *variable,
				   const struct frame_reader *reader,
				   struct value *out)
{
	struct location_context context = {
		.reader = reader,
		.file = variable->file,
		.unit = variable->unit,
		.frame_base = variable->frame_base,
	};
	struct location location;

	TRY(location_find(&context, variable->bytes, &location));
	switch (location.kind) {
	case LOCATION_MEMORY:
		return read_memory(variable, reader, location.value, out);
	case LOCATION_REGISTER:
		return read_register(variable, reader, location.value, out);
	case LOCATION_VALUE:
		return from_number(variable, reader, location.value, out);
	case LOCATION_BYTES:
		return from_bytes(variable, location.bytes, out);
	}
	return NULL;
}

struct error *variable_read(const struct variable *variable,
			    const struct frame_reader *reader,
			    struct value *out)
{
	switch (variable->source) {
	case SOURCE_CONSTANT:
		*out = variable->constant;
		return NULL;
	case SOURCE_BYTES:
		return from_bytes(variable, variable->bytes, out);
	case SOURCE_LOCATION:
		return read_location(variable, reader, out);
	case SOURCE_ENTRY:
		if (variable->entry.in_register)
			return read_register(variable, reader,
					     variable->entry.reg, out);
		return read_memory(variable, reader,
				   reader->regs->rsp + variable->entry.offset,
				   out);
	case SOURCE_NOWHERE:
		break;
	}
	return error_create(ERROR_EVALUATE, "optimized out");
}
