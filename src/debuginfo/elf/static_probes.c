/*
 * static_probes.c - reads the static probes of a file, and where their
 * arguments are
 *
 * A program gets static probes by the macros of SystemTap's sys/sdt.h or of
 * perftool/mark.h. Each macro leaves a nop in the code and a note in the
 * section .note.stapsdt: the addresses of the nop, of .stapsdt.base, and of the
 * semaphore or 0; then three texts: the provider, the name, and the operands of
 * the arguments, as the assembler writes them. (SystemTap's wiki,
 * "UserSpaceProbeImplementation".)
 *
 * prelink moves the sections of a file and does not know of the notes. The note
 * says where .stapsdt.base was when the file was linked, so that the reader can
 * add what the sections have moved.
 */
#include "static_probes.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "debugfile.h"
#include "perftool/base/str.h"

#define PROBE_NOTE 3 /* the type of the note */
#define PROBES_MOST 1000000

/* ---- the notes ----------------------------------------------------------- */

static uint64_t aligned(uint64_t size)
{
	return (size + 3) & ~3ull;
}

static void parse_description(struct cursor description, uint64_t base,
			      struct static_probe_list *out)
{
	struct static_probe probe = {0};
	uint64_t linked;

	probe.address = cursor_u64(&description);
	linked = cursor_u64(&description);
	probe.semaphore = cursor_u64(&description);
	probe.provider = cursor_string(&description);
	probe.name = cursor_string(&description);
	probe.arguments = cursor_string(&description);
	if (description.failed || !*probe.provider || !*probe.name)
		return;
	if (base && linked) {
		probe.address += base - linked;
		if (probe.semaphore)
			probe.semaphore += base - linked;
	}
	vec_push(out, probe);
}

void static_probes_parse(struct bytes notes, uint64_t base,
			 struct static_probe_list *out)
{
	static const char owner[] = "stapsdt";
	struct cursor cursor = cursor_at(notes, 0);

	while (!cursor.failed && cursor_left(&cursor) &&
	       out->count < PROBES_MOST) {
		uint32_t name_size = cursor_u32(&cursor);
		uint32_t size = cursor_u32(&cursor);
		uint32_t type = cursor_u32(&cursor);
		struct cursor name = cursor_take(&cursor, name_size);
		struct cursor description;

		cursor_skip(&cursor, aligned(name_size) - name_size);
		description = cursor_take(&cursor, size);
		if (cursor.failed)
			return;
		if (type == PROBE_NOTE && name_size == sizeof(owner) &&
		    memcmp(name.at, owner, sizeof(owner)) == 0)
			parse_description(description, base, out);
		/* The last note need not be padded. */
		if (cursor_left(&cursor) < aligned(size) - size)
			return;
		cursor_skip(&cursor, aligned(size) - size);
	}
}

static void read_probes(struct debugfile *file)
{
	const struct image *image = &file->image;
	size_t base = image_find_section(image, ".stapsdt.base");
	size_t notes = 0;

	file->probes_known = true;
	while ((notes = image_next_section(image, ".note.stapsdt", notes)))
		static_probes_parse(image_section_bytes(image, notes),
				    base ? image->sections.data[base].address
					 : 0,
				    &file->probes);
}

const struct static_probe_list *debugfile_probes(struct debugfile *file)
{
	if (!file->probes_known)
		read_probes(file);
	return &file->probes;
}

const struct static_probe *debugfile_probe_at(struct debugfile *file,
					      uint64_t address)
{
	const struct static_probe_list *probes = debugfile_probes(file);

	for (size_t i = 0; i < probes->count; i++)
		if (probes->data[i].address == address)
			return &probes->data[i];
	return NULL;
}

/* ---- the arguments ------------------------------------------------------- */

/* Read a number, decimal or hexadecimal, with or without a sign. */
static bool take_number(const char **at, int64_t *out)
{
	int64_t number;
	char *end;

	if (!isdigit((unsigned char)(*at)[**at == '-' || **at == '+']))
		return false;
	errno = 0;
	number = **at == '-' ? strtoll(*at, &end, 0)
			     : (int64_t)strtoull(*at, &end, 0);
	if (errno)
		return false;
	*out = number;
	*at = end;
	return true;
}

static bool take_register(const char **at, char out[PROBE_NAME])
{
	size_t length;

	if (**at != '%')
		return false;
	length = strspn(++*at, "abcdefghijklmnopqrstuvwxyz0123456789");
	if (!length || length >= PROBE_NAME)
		return false;
	memcpy(out, *at, length);
	out[length] = '\0';
	*at += length;
	return true;
}

/* Read the name of a symbol, as far as the name of a C identifier goes. */
static bool take_symbol(const char **at, char out[PROBE_NAME])
{
	size_t length = 0;

	while (isalnum((unsigned char)(*at)[length]) ||
	       ((*at)[length] && strchr("_.$@", (*at)[length])))
		length++;
	if (!length || isdigit((unsigned char)**at) || length >= PROBE_NAME)
		return false;
	memcpy(out, *at, length);
	out[length] = '\0';
	*at += length;
	return true;
}

/* Read `(BASE)`, `(BASE,INDEX,SCALE)` or `(,INDEX,SCALE)`. */
static bool take_registers(const char **at, struct probe_argument *out)
{
	int64_t scale = 1;

	if (*(*at)++ != '(')
		return false;
	if (**at != ',' && !take_register(at, out->base))
		return false;
	if (**at == ',') {
		++*at;
		if (!take_register(at, out->index))
			return false;
		if (**at == ',') {
			++*at;
			if (!take_number(at, &scale))
				return false;
		}
	}
	if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return false;
	out->scale = (uint8_t)scale;
	return *(*at)++ == ')';
}

/* Read `8(%rax)`, `symbol+8(%rip)`, `8+symbol(%rip)` or `symbol`. */
static bool take_memory(const char **at, struct probe_argument *out)
{
	int64_t number;

	out->kind = PROBE_MEMORY;
	while (**at && !strchr("( \t", **at)) {
		bool is_added = **at == '+';

		if (take_number(at, &number)) {
			out->number = (int64_t)((uint64_t)out->number +
						(uint64_t)number);
			continue;
		}
		*at += is_added;
		if (out->symbol[0] || !take_symbol(at, out->symbol))
			return false;
	}
	if (**at == '(')
		return take_registers(at, out);
	return out->symbol[0] != '\0';
}

/* Read one operand, which ends at a blank or at the end of the text. */
static bool take_operand(const char **at, struct probe_argument *out)
{
	int64_t size = 8;

	if (strchr(*at, '@') && take_number(at, &size)) {
		out->is_float = **at == 'f';
		*at += out->is_float;
		if (*(*at)++ != '@')
			return false;
	}
	if (size < -8 || size > 8)
		return false;
	out->is_signed = size < 0;
	out->size = (uint8_t)(size < 0 ? -size : size);
	if (!out->size || (out->size & (out->size - 1)))
		return false;
	if (**at == '$') {
		++*at;
		out->kind = PROBE_CONSTANT;
		return take_number(at, &out->number);
	}
	if (**at == '%') {
		out->kind = PROBE_REGISTER;
		return take_register(at, out->base);
	}
	return take_memory(at, out);
}

bool probe_argument_parse(const char *text, unsigned index,
			  struct probe_argument *out)
{
	for (;; index--) {
		size_t length;
		const char *at;

		text += strspn(text, " \t");
		length = strcspn(text, " \t");
		if (!length)
			return false;
		at = text;
		text += length;
		*out = (struct probe_argument){0};
		if (!index)
			return take_operand(&at, out) && at == text;
	}
}

unsigned probe_argument_count(const char *text)
{
	unsigned count = 0;

	for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
		count++;
		text += strcspn(text, " \t");
	}
	return count;
}
