/*
 * scalar.c - numbers, pointers, enumerations and strings; see label.h
 */
#include "label.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"

static void append_nan(struct str *out, const union number *number,
		       struct type type)
{
	uint64_t fraction;
	float f = (float)number->f;
	uint32_t narrow;

	if (type.size == 4) {
		memcpy(&narrow, &f, sizeof(f));
		fraction = narrow & 0x7fffff;
	} else {
		memcpy(&fraction, number, sizeof(fraction));
		if (type.size == 8)
			fraction &= 0xfffffffffffff;
	}
	str_printf(out, "nan(0x%" PRIx64 ")", fraction);
}

static void append_float(struct str *out, const union number *number,
			 struct type type)
{
	long double value = type.size > 8 ? number->l : number->f;

	if (signbit(value) && (isnan(value) || isinf(value)))
		str_append_char(out, '-');
	if (isnan(value))
		append_nan(out, number, type);
	else if (isinf(value))
		str_append(out, "inf");
	else if (type.size > 8)
		str_printf(out, "%.21Lg", value);
	else
		str_printf(out, type.size == 4 ? "%.9g" : "%.17g", number->f);
}

void format_complex(struct str *out, const uint8_t *bytes, uint8_t size)
{
	struct type part = {.class = TYPE_FLOAT, .size = size};
	union number number;

	number_from_memory(&number, part, &(struct bits){0}, bytes);
	append_float(out, &number, part);
	str_append(out, " + ");
	number_from_memory(&number, part, &(struct bits){0}, bytes + size);
	append_float(out, &number, part);
	str_append_char(out, 'i');
}

/* Does each enumerator have one bit, or none, so that they are flags? */
static bool has_flags(const struct debugenumerator *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (all[i].value < 0 || (all[i].value & (all[i].value - 1)))
			return false;
	return true;
}

static void append_flags(struct debugtype *type, uint64_t value,
			 const char *scope, struct str *out)
{
	const struct debugenumerator *all;
	const char *before = "(";
	size_t count;

	all = debugtype_enumerators(type, &count);
	if (!value) {
		str_append_char(out, '0');
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (!(value & (uint64_t)all[i].value))
			continue;
		str_printf(out, "%s%s%s", before, scope, all[i].name);
		value &= ~(uint64_t)all[i].value;
		before = " | ";
	}
	if (value)
		str_printf(out, "%sunknown: 0x%" PRIx64, before, value);
	str_append_char(out, ')');
}

void print_enumeration(struct debugtype *type, const union number *number,
		       bool scoped, struct str *out)
{
	const char *scope = scoped ? debugtype_scope(type) : "";
	const struct debugenumerator *all;
	size_t count;

	all = debugtype_enumerators(type, &count);
	for (size_t i = 0; i < count; i++) {
		if (all[i].value == number->i) {
			str_printf(out, "%s%s", scope, all[i].name);
			return;
		}
	}
	if (count && has_flags(all, count))
		append_flags(type, number->u, scope, out);
	else if (debugtype_is_signed(type))
		str_printf(out, "%" PRId64, number->i);
	else
		str_printf(out, "%" PRIu64, number->u);
}

/*
 * The prefix (L, u, U or none) of literals of a type of characters. The name of
 * the type decides, because compilers do not mark all such types as characters.
 */
static const char *prefix_of(struct type type)
{
	return type.of ? text_prefix(debugtype_name(type.of)) : "";
}

bool print_is_character(enum debugfile_language language, struct type type)
{
	if (!type_is_integer(type) || type.class != TYPE_INTEGER)
		return false;
	switch (type_origin(type)) {
	case DEBUGTYPE_ENUM:
		return false;
	case DEBUGTYPE_CHARACTER:
		return true;
	case DEBUGTYPE_INTEGER:
		return type.size > 1 && *prefix_of(type);
	default:
		/*
		 * the smallest integers are characters in C and C++, but
		 * numbers in Rust
		 */
		return type.size == 1 && language != LANGUAGE_RUST;
	}
}

static void append_wide(struct str *out, unsigned __int128 value,
			bool is_signed)
{
	char digits[40], *at = digits + sizeof(digits);
	bool negative = is_signed && value >> 127;

	if (negative)
		value = -value;
	*--at = '\0';
	do
		*--at = (char)('0' + (int)(value % 10));
	while (value /= 10);
	str_printf(out, "%s%s", negative ? "-" : "", at);
}

static void append_integer(const struct printer *printer, struct type type,
			   const union number *number)
{
	struct str *out = printer->out;
	uint64_t mask = type.size < 8 ? (1ULL << type.size * 8) - 1 : ~0ULL;

	if (type_is_enumeration(type)) {
		print_enumeration(type.of, number, true, out);
		return;
	}
	if (type.class == TYPE_BOOL && number->u <= 1) {
		str_append(out, number->u ? "true" : "false");
		return;
	}
	if (type_is_wide(type)) {
		append_wide(out, number->wide_u, type.is_signed);
		return;
	}
	str_printf(out, type.is_signed ? "%" PRId64 : "%" PRIu64, number->u);
	if (!print_is_character(printer->language, type))
		return;
	str_append_char(out, ' ');
	text_append_character(out, (uint32_t)(number->u & mask),
			      prefix_of(type), type.size > 1);
}

/* ---- pointers ---- */

/* Read a string whose characters have `width` bytes, character by character, up
 * to its zero. Its length is at most TEXT_MOST. */
static bool read_wide(const struct frame_reader *reader, uint64_t address,
		      uint8_t width, uint8_t *bytes, size_t *count)
{
	static const uint8_t zero[4];

	for (*count = 0; *count < TEXT_MOST; ++*count) {
		uint8_t *at = bytes + *count * width;

		if (!frame_read(reader, address + *count * width, at, width))
			return *count > 0;
		if (memcmp(at, zero, width) == 0)
			break;
	}
	return true;
}

void format_string(const struct printer *printer, uint64_t address,
		   uint8_t width, const char *prefix)
{
	const struct frame_reader *reader = &printer->input->reader;
	uint8_t bytes[TEXT_MOST * 4];
	struct text text = {.bytes = bytes, .width = width, .prefix = prefix};
	uint32_t next = 0;

	if (!(width > 1 ? read_wide(reader, address, width, bytes, &text.count)
			: memory_read_string(reader, address, TEXT_MOST, bytes,
					     &text.count))) {
		str_printf(printer->out,
			   "<error: Cannot access memory at address "
			   "0x%" PRIx64 ">",
			   address);
		return;
	}
	text_append(printer->out, &text,
		    text.count == TEXT_MOST &&
			    frame_read(reader, address + TEXT_MOST * width,
				       &next, width) &&
			    next);
}

void format_address(const struct printer *printer, uint64_t address)
{
	const struct expr_input *input = printer->input;

	str_printf(printer->out, "0x%" PRIx64, address);
	if (!address)
		return;
	if (input->describe)
		input->describe(input->context, address, printer->out);
	else if (printer->file)
		debugfile_append_symbol(printer->file,
					address - input->reader.bias,
					printer->out);
}

void format_reference(const struct printer *printer, uint64_t address)
{
	if (scratch_has(address))
		str_append(printer->out, "<synthetic pointer>");
	else
		str_printf(printer->out, "@0x%" PRIx64, address);
}

void format_flags(struct str *out, uint64_t flags)
{
	static const char names[][4] = {"CF", "",    "PF",  "",   "AF", "",
					"ZF", "SF",  "TF",  "IF", "DF", "OF",
					"",   "",    "NT",  "",   "RF", "VM",
					"AC", "VIF", "VIP", "ID"};

	str_append(out, "[ ");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (flags >> i & 1 && *names[i])
			str_printf(out, "%s ", names[i]);
	str_append_char(out, ']');
}

/*
 * Is this the name of a pointer to char, or to one of the wider types of
 * characters? For a type of such a name gdb writes the string alone, without
 * the type.
 */
static bool is_plain_string(const char *name)
{
	static const char *const words[] = {"const ", "volatile "};
	static const char *const types[] = {"char *", "wchar_t *", "char16_t *",
					    "char32_t *"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (str_starts(name, words[i]))
			name += strlen(words[i]);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (str_starts(name, types[i]))
			return !strchr(name + strlen(types[i]), '*');
	return false;
}

static void append_pointer(const struct printer *printer, struct type type,
			   uint64_t address, bool top)
{
	struct type pointed = type_pointed(type);
	struct str *out = printer->out;
	char buffer[TYPE_NAME_SIZE];
	const char *name =
		type.of ? debugtype_name(type.of) : type_name(type, buffer);

	if (top && !is_plain_string(name))
		str_printf(out, "(%s) ", name);
	if (scratch_has(address)) {
		str_append(out, "<synthetic pointer>");
		return;
	}
	format_address(printer, address);
	if (address && print_is_character(printer->language, pointed) &&
	    (pointed.size == 1 || *prefix_of(pointed))) {
		str_append_char(out, ' ');
		format_string(printer, address, pointed.size,
			      prefix_of(pointed));
	}
}

void format_scalar(const struct printer *printer, struct type type,
		   const union number *number, bool top)
{
	if (type_is_pointer(type))
		append_pointer(printer, type, number->u, top);
	else if (type_is_float(type))
		append_float(printer->out, number, type);
	else
		append_integer(printer, type, number);
}
