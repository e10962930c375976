/*
 * debuginfo_values.h - variables of sample programs that have been run
 * somewhere
 */
#ifndef DEBUGINFO_VALUES_H
#define DEBUGINFO_VALUES_H

#include "debuginfo_samples.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debugtype.h"

/* A build of the source, stopped somewhere. */
struct trial {
	char *path;
	struct debugfile *file;
	uint64_t address;
	bool at_entry;
	struct running running;
};

static inline void start(struct trial *trial, uint64_t address, bool at_entry)
{
	trial->address = address;
	trial->at_entry = at_entry;
	run_to(&trial->running, trial->path, trial->file, address);
}

static inline void start_function(struct trial *trial, const char *name,
				  bool at_entry)
{
	struct function function = function_named(trial->file, name);
	uint64_t address = function.address;

	if (!at_entry)
		assert_null(debugfile_skip_prologue(trial->file, &function,
						    &address));
	start(trial, address, at_entry);
}

static inline struct variable *find(struct trial *trial, const char *name)
{
	struct variable *variable = NULL;
	struct error *error = debugfile_find_variable(
		trial->file, trial->address, trial->at_entry, name, &variable);

	if (error)
		fail_msg("%s: %s", name, error_message(error));
	return variable;
}

/* With rip and rsp alone it is the same, where these are said to do. */
static inline void check_by_sp(struct trial *trial, struct variable *variable,
			       struct value expected)
{
	struct user_regs_struct few = {.rip = trial->running.regs.rip,
				       .rsp = trial->running.regs.rsp};
	struct frame_reader reader = trial->running.reader;
	struct value value = {0};

	if (!variable_find_by_sp(variable))
		return;
	reader.regs = &few;
	assert_null(variable_read(variable, &reader, &value));
	assert_true(value_equal(value, expected));
}

static inline struct value read_value(struct trial *trial, const char *name)
{
	struct variable *variable = find(trial, name);
	struct value value = {0};
	struct error *error =
		variable_read(variable, &trial->running.reader, &value);

	if (error)
		fail_msg("%s (at_entry=%d) of %s: %s", name, trial->at_entry,
			 trial->path, error_message(error));
	check_by_sp(trial, variable, value);
	variable_destroy(variable);
	return value;
}

static inline void expect(struct trial *trial, const char *name,
			  struct value value)
{
	struct value found = read_value(trial, name);
	char a[32], b[32];

	if (!value_equal(found, value))
		fail_msg("%s is %s and not %s", name, value_format(found, a),
			 value_format(value, b));
	assert_int_equal(found.kind, value.kind);
}

static inline void expect_signed(struct trial *trial, const char *name,
				 int64_t value)
{
	expect(trial, name, value_signed(value));
}

static inline void expect_unsigned(struct trial *trial, const char *name,
				   uint64_t value)
{
	expect(trial, name, value_unsigned(value));
}

static inline void expect_type(struct trial *trial, const char *name,
			       const char *type, enum debugtype_kind kind,
			       unsigned size)
{
	struct variable *variable = find(trial, name);
	struct debugtype *found = variable_debugtype(variable);

	assert_string_equal(debugtype_name(found), type);
	assert_int_equal(debugtype_kind(found), kind);
	assert_int_equal(debugtype_size(found), size);
	variable_destroy(variable);
}

/* ---- parts of values ------------------------------------------------- */

/* What the bytes at an address are. */
static inline struct value value_at(struct trial *trial, const char *what,
				    struct debugtype *type, uint64_t address)
{
	uint64_t size = debugtype_size(type), number = 0;
	long double extended = 0;
	uint8_t bytes[16] = {0};
	double whole;
	float half;

	assert_true(size <= sizeof(bytes));
	if (!frame_read(&trial->running.reader, address, bytes, size))
		fail_msg("%s of %s cannot be read at %#lx", what, trial->path,
			 address);
	memcpy(&number, bytes, sizeof(number));
	memcpy(&extended, bytes, 10);
	memcpy(&whole, bytes, sizeof(whole));
	memcpy(&half, bytes, sizeof(half));
	if (debugtype_kind(type) == DEBUGTYPE_FLOAT)
		return value_float(size == 4   ? (double)half
				   : size == 8 ? whole
					       : (double)extended);
	if (size < 8)
		number &= (1ULL << (size * 8)) - 1;
	if (!debugtype_is_signed(type))
		return value_unsigned(number);
	return value_signed((int64_t)(number << (64 - size * 8)) >>
			    (64 - size * 8));
}

/* Where the parts begin in a path; a scope before it may have dots in it. */
static inline const char *path_parts(const char *path)
{
	for (const char *at; (at = strstr(path, "::"));)
		path = at + 2;
	return path + strcspn(path, ".[@%$");
}

/* A part of a variable: where it is, and what. */
struct part {
	uint64_t address;
	struct debugtype *type;
	struct debugmember member;
	char word; /* what it is read as: `@`, `%`, `$`; else 0 */
};

/*
 * `name.member[1].other`; `name@1` is the second word of it, `name%1` the
 * second double and `name$1` the second float, for types that have no parts.
 */
static inline struct error *find_part(struct trial *trial,
				      struct variable *variable,
				      const char *path, struct part *out)
{
	const char *rest = path_parts(path);

	*out = (struct part){.type = variable_debugtype(variable)};
	TRY(variable_address(variable, &trial->running.reader, &out->address));
	while (*rest) {
		char word[64] = "", sign = *rest++;
		size_t length = strcspn(rest, ".[@%$");
		unsigned long index = strtoul(rest, NULL, 10);

		memcpy(word, rest, length);
		rest += length;
		if (sign == '.') {
			if (!debugtype_find_member(out->type, word,
						   &out->member))
				fail_msg("%s: no member %s", path, word);
			out->address += out->member.offset;
			out->type = out->member.type;
		} else if (sign == '[') {
			out->type = debugtype_target(out->type);
			out->address += index * debugtype_size(out->type);
		} else {
			out->address += index * (sign == '$' ? 4 : 8);
			out->word = sign;
		}
	}
	return NULL;
}

static inline size_t part_size(const struct part *part)
{
	if (part->word)
		return part->word == '$' ? 4 : 8;
	if (part->member.bit_size)
		return (size_t)(part->member.bit_offset +
				part->member.bit_size + 7) /
		       8;
	return (size_t)debugtype_size(part->type);
}

static inline struct value part_value(struct trial *trial, const char *path,
				      const struct part *part)
{
	unsigned last = part->member.bit_offset + part->member.bit_size;
	uint64_t bits = 0;
	double whole;
	float half;

	if (!part->word && !part->member.bit_size)
		return value_at(trial, path, part->type, part->address);
	if (!frame_read(&trial->running.reader, part->address, &bits,
			part_size(part)))
		fail_msg("%s cannot be read", path);
	memcpy(&whole, &bits, sizeof(whole));
	memcpy(&half, &bits, sizeof(half));
	if (part->word)
		return part->word == '@'   ? value_unsigned(bits)
		       : part->word == '%' ? value_float(whole)
					   : value_float((double)half);
	bits <<= 64 - last;
	return debugtype_is_signed(part->type)
		       ? value_signed((int64_t)bits >>
				      (64 - part->member.bit_size))
		       : value_unsigned(bits >> (64 - part->member.bit_size));
}

static inline void check_part(struct trial *trial, struct variable *variable,
			      const char *path, const char *expected)
{
	struct error *error;
	struct value value;
	struct part part;
	char text[32];

	if (*path_parts(path))
		error = find_part(trial, variable, path, &part);
	else
		error = variable_read(variable, &trial->running.reader, &value);
	if (error)
		fail_msg("%s (at_entry=%d) of %s: %s", path, trial->at_entry,
			 trial->path, error_message(error));
	if (*path_parts(path))
		value = part_value(trial, path, &part);
	if (!*path_parts(path))
		check_by_sp(trial, variable, value);
	if (!str_equal(value_format(value, text), expected))
		fail_msg("%s (at_entry=%d) of %s is %s and not %s", path,
			 trial->at_entry, trial->path, text, expected);
}

/* Every `PATH=VALUE` of a list. */
static inline void expect_all(struct trial *trial, const char *list)
{
	char *copy = xstrdup(list), *save = NULL;

	for (char *one = strtok_r(copy, " ", &save); one;
	     one = strtok_r(NULL, " ", &save)) {
		char *value = strchr(one, '='), *name;
		struct variable *variable;

		assert_non_null(value);
		*value++ = '\0';
		name = xstrndup(one, (size_t)(path_parts(one) - one));
		trial->running.scratch.used = 0;
		variable = find(trial, name);
		check_part(trial, variable, one, value);
		variable_destroy(variable);
		free(name);
	}
	free(copy);
}

/* Looking it up, or else reading it, must fail like this. */
static inline void expect_failure(struct trial *trial, const char *name,
				  enum error_code code, const char *words)
{
	struct variable *variable = NULL;
	struct value value;
	struct error *error = debugfile_find_variable(
		trial->file, trial->address, trial->at_entry, name, &variable);

	if (!error)
		error = variable_read(variable, &trial->running.reader, &value);
	if (!error)
		fail_msg("%s can be read", name);
	assert_int_equal(error_code(error), code);
	if (!strstr(error_message(error), words))
		fail_msg("%s: '%s' is not in '%s'", name, words,
			 error_message(error));
	error_destroy(error);
	variable_destroy(variable);
}

#endif
