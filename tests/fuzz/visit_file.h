/*
 * visit_file.h - ask a file everything that can be asked of it
 *
 * For the fuzz targets and for the test that replays what they found: the
 * answers do not matter, only that all are given, in bounds and in time.
 */
#ifndef VISIT_FILE_H
#define VISIT_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perftool/debuginfo.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debugtype.h"

/* Things looked at of each kind: a broken file may claim any number. */
#define VISIT_LIMIT 40

/* Return addresses that calls of the code have, for stacks to hold. */
#define VISIT_RETURNS 64
#define VISIT_STACK 0x7f0000000000

struct visit_returns {
	unsigned count;
	uint64_t addresses[VISIT_RETURNS];
};

struct visit {
	struct debugfile *file;
	const struct visit_returns *returns;
	unsigned left;
	uint64_t address;
	bool at_entry;
	struct frame_reader *reader;
};

static inline bool visit_vectors(void *context, struct user_fpregs_struct *out)
{
	(void)context;
	memset(out, 0x3f, sizeof(*out));
	return true;
}

/* A word of the stack: where a call returns to, or where a frame is. */
static inline uint64_t visit_word(const struct visit *visit, uint64_t address)
{
	uint64_t number = address / 8;

	if (number % 2 || !visit->returns->count)
		return address + 48;
	return visit->returns->addresses[(number / 2 + visit->address) %
					 visit->returns->count];
}

/* Memory of a program that is not there: reads as its file, else as noise. */
static inline bool visit_memory(void *context, uint64_t address, void *buffer,
				size_t size)
{
	const struct visit *visit = context;

	if (address >> 16 == VISIT_STACK >> 16 && size <= 8) {
		uint64_t word = visit_word(visit, address);

		memcpy(buffer, &word, size);
		return true;
	}
	if (address % 7 == 0)
		return false;
	if (debugfile_read(visit->file, address, buffer, size) != size)
		memset(buffer, (int)address, size);
	return true;
}

/* All that a type says by itself, and what it is made of. */
static inline void visit_plain_type(const struct visit *visit,
				    struct debugtype *type, int depth)
{
	const struct debugenumerator *enumerators;
	const struct debugmember *members;
	struct debugmember member;
	size_t count;
	uint64_t number;

	(void)strlen(debugtype_name(type));
	(void)strlen(debugtype_name(debugfile_pointer_to(visit->file, type)));
	(void)debugtype_is_signed(type);
	(void)debugtype_count(type, &number);
	if (!debugtype_is_same(type, debugtype_plain(type)) && depth == 0)
		(void)debugtype_size(type);
	enumerators = debugtype_enumerators(type, &count);
	for (size_t i = 0; i < count; i++)
		(void)strlen(enumerators[i].name);
	debugtype_find_member(type, "a", &member);
	if (depth == 3)
		return;
	if (debugtype_target(type))
		visit_plain_type(visit, debugtype_target(type), depth + 1);
	members = debugtype_members(type, &count);
	for (size_t i = 0; i < count && i < 8; i++)
		visit_plain_type(visit, members[i].type, depth + 1);
}

/* Where an object of a type has its virtual bases. */
static inline void visit_bases(const struct visit *visit,
			       struct debugtype *type, uint64_t address)
{
	const struct debugmember *members;
	uint64_t offset;
	size_t count;

	members = debugtype_members(type, &count);
	for (size_t i = 0; i < count && i < VISIT_LIMIT; i++)
		if (members[i].is_virtual)
			error_destroy(debugtype_virtual_offset(
				type, i, visit->reader, address, &offset));
}

/* What a type tells beyond its members. */
static inline void visit_type(const struct visit *visit, struct debugtype *type,
			      uint64_t address)
{
	const struct debugvariant *variants;
	const struct debugstatic *statics;
	size_t count, active;

	(void)strlen(debugtype_scope(type));
	statics = debugtype_statics(type, &count);
	for (size_t i = 0; i < count; i++)
		(void)strlen(statics[i].name);
	variants = debugtype_variants(type, &count);
	for (size_t i = 0; i < count && i < 16; i++)
		(void)strlen(debugtype_name(variants[i].member.type));
	if (debugtype_active_variant(type, visit->reader, address, &active) &&
	    active >= count)
		abort();
}

static inline bool visit_frame_variable(void *context, const char *name,
					bool is_parameter,
					struct variable *variable,
					struct error *error)
{
	struct visit *visit = context;

	(void)is_parameter;
	(void)strlen(name);
	if (variable)
		(void)strlen(debugtype_name(variable_debugtype(variable)));
	variable_destroy(variable);
	error_destroy(error);
	return --visit->left > 0;
}

static inline bool visit_variable(void *context, const char *name)
{
	struct visit *visit = context;
	struct variable *variable = NULL;
	struct simple_place simple;
	uint64_t address = 0;
	struct value value;
	struct error *error = debugfile_find_variable(
		visit->file, visit->address, visit->at_entry, name, &variable);

	visit->reader->scratch->used = 0;
	if (!error) {
		struct debugtype *type = variable_debugtype(variable);
		struct debugmember member;

		(void)strlen(debugtype_name(type));
		variable_simple_place(variable, &simple);
		error = variable_read(variable, visit->reader, &value);
		error_destroy(error);
		error_destroy(
			variable_address(variable, visit->reader, &address));
		error = debugtype_find_member_of(type, "a", visit->reader,
						 address, &member);
		visit_type(visit, type, address);
		visit_plain_type(visit, type, 0);
		visit_bases(visit, type, address);
		if (variable_reference(variable) && variable_is_local(variable))
			(void)debugtype_size(variable_reference(variable));
		(void)debugtype_size(
			variable_current_type(variable, visit->reader));
	}
	error_destroy(error);
	variable_destroy(variable);
	return --visit->left > 0;
}

/* The result of a function, and variables by names with a scope. */
static inline void visit_scopes(struct visit *visit)
{
	static const char *const names[] = {"::a", "A::a", "main::a", "a.c::a"};
	struct variable *variable;
	struct error *error;
	uint64_t address;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		visit->left = VISIT_LIMIT;
		visit_variable(visit, names[i]);
	}
	error = debugfile_find_return(visit->file, visit->address, &variable);
	if (!error) {
		visit->reader->scratch->used = 0;
		error_destroy(
			variable_address(variable, visit->reader, &address));
		variable_destroy(variable);
	}
	error_destroy(error);
}

/* What is told of the code there, and of the frames that the source shows. */
static inline void visit_code(struct debugfile *file, uint64_t address)
{
	struct source_frame_list frames = {0};
	struct debugtype *type = debugfile_function_type(file, address);
	struct variable *variable;

	if (type)
		(void)strlen(debugtype_name(type));
	debugfile_source_frames(file, address,
				debugfile_frames_begun(file, address), &frames);
	debugfile_frame_of_line(file, address, "x.c", 1);
	for (unsigned i = 0; i < frames.count && i < 3; i++) {
		struct error *error = debugfile_find_variable_of(
			file, address, false, i, "a", &variable);

		if (!error)
			variable_destroy(variable);
		error_destroy(error);
	}
	source_frames_clear(&frames);
	debugfile_has_frame(file, address);
	debugfile_is_signal_frame(file, address);
	debugfile_in_sequence(file, address);
	debugfile_language(file, address);
}

static inline void visit_address(struct debugfile *file,
				 const struct visit_returns *returns,
				 uint64_t address)
{
	struct user_regs_struct regs = {.rip = address,
					.rsp = VISIT_STACK,
					.rbp = VISIT_STACK + 64,
					.fs_base = 8192},
				caller;
	struct visit visit = {
		.file = file, .returns = returns, .address = address};
	struct scratch scratch = {.used = 0};
	struct frame_reader reader = {.read = visit_memory,
				      .context = &visit,
				      .regs = &regs,
				      .read_vectors = visit_vectors,
				      .scratch = &scratch};
	struct function function;
	struct cfa_rule rule;
	struct str symbol = {0};
	const char *path;
	uint32_t line;

	visit.reader = &reader;
	visit_code(file, address);
	if (debugfile_function_at(file, address, &function)) {
		struct range_list ranges = {0};
		uint64_t after;

		error_destroy(
			debugfile_function_ranges(file, &function, &ranges));
		error_destroy(debugfile_skip_prologue(file, &function, &after));
		vec_free(&ranges);
	}
	if (debugfile_source_at(file, address, &path, &line)) {
		struct line_list places = {0};

		error_destroy(debugfile_find_line(file, path, line, &places));
		vec_free(&places);
	}
	debugfile_cfa_rule(file, address, &rule);
	error_destroy(debugfile_unwind(file, &reader, &caller));
	debugfile_append_symbol(file, address, &symbol);
	str_deinit(&symbol);
	for (int at_entry = 0; at_entry < 2; at_entry++) {
		visit.left = VISIT_LIMIT;
		visit.at_entry = at_entry;
		debugfile_each_variable(file, address, visit_variable, &visit);
		visit.left = VISIT_LIMIT;
		for (unsigned frame = 0; frame < 3; frame++)
			debugfile_each_frame_variable(
				file, address, at_entry, frame,
				visit_frame_variable, &visit);
		visit_scopes(&visit);
	}
}

static inline bool visit_source(void *context, const char *path)
{
	struct visit *visit = context;
	struct line_list places = {0};

	error_destroy(debugfile_find_line(visit->file, path, 3, &places));
	vec_free(&places);
	return --visit->left > 0;
}

static inline bool visit_name(void *context, const char *name)
{
	struct visit *visit = context;
	struct function_list functions = {0};
	struct line_list copies = {0};

	error_destroy(debugfile_find_inlined(visit->file, name, &copies, NULL));
	vec_free(&copies);
	error_destroy(debugfile_find_functions(visit->file, name, &functions));
	for (size_t i = 0; i < functions.count && i < 4; i++) {
		uint64_t address = functions.data[i].address;

		/* within it, too, where variables are elsewhere */
		for (uint64_t part = 0; part < 3; part++)
			visit_address(visit->file, visit->returns,
				      address + functions.data[i].size / 3 *
							part);
	}
	vec_free(&functions);
	return --visit->left > 0;
}

static inline bool visit_needed(void *context, const char *name)
{
	struct visit *visit = context;

	(void)strlen(name);
	return --visit->left > 0;
}

/* What other modules would ask the file for. */
static inline bool visit_data(void *context, const char *name)
{
	struct visit *visit = context;
	struct debugfile *file = visit->file;
	struct variable *variable = NULL;
	struct debugtype *type = debugfile_declared_type(file, name);

	for (int scope = DATA_EXPORTED; scope <= DATA_LOCAL; scope++) {
		struct data_symbol symbol;

		if (!debugfile_find_data(file, name, (enum data_scope)scope,
					 &symbol))
			continue;
		variable = debugfile_variable_at(file, &symbol, type);
		for (size_t i = 0; i < 3; i++)
			free(variable_exported(variable, i));
		variable_destroy(variable);
	}
	if (debugfile_has_data(file, name)) {
		variable = NULL;
		error_destroy(debugfile_find_global(file, name, &variable));
		for (size_t i = 0; variable && i < 3; i++)
			free(variable_exported(variable, i));
		variable_destroy(variable);
	}
	return --visit->left > 0;
}

static inline void visit_modules(struct visit *visit, uint64_t entry)
{
	static const char *const names[] = {"errno", "a", "stdout", "ns::a"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		visit_data(visit, names[i]);
	visit->left = 16;
	debugfile_each_variable(visit->file, entry, visit_data, visit);
	visit->left = VISIT_LIMIT;
	debugfile_each_needed(visit->file, visit_needed, visit);
	free(debugfile_library_path(visit->file));
	visit->left = VISIT_LIMIT;
}

static inline bool visit_slot(void *context, uint64_t address)
{
	struct visit *visit = context;

	(void)address;
	return --visit->left > 0;
}

static inline void visit_find_returns(struct debugfile *file,
				      struct visit_returns *out)
{
	const struct debugfile_facts *facts = debugfile_facts(file);
	static uint8_t code[65536];
	size_t size = debugfile_read(file, facts->low, code, sizeof(code));

	out->count = 0;
	/* call, and a displacement that leads somewhere near */
	for (size_t i = 0; i + 5 < size && out->count < VISIT_RETURNS; i++)
		if (code[i] == 0xe8 && (code[i + 4] == 0 || code[i + 4] == 255))
			out->addresses[out->count++] = facts->low + i + 5;
}

static inline void visit_file(const char *path)
{
	struct debugfile *file;
	struct error *error = debugfile_open(path, &file);
	struct visit visit = {.left = VISIT_LIMIT};
	const struct debugfile_facts *facts;
	struct function_list functions = {0};
	struct str description = {0};
	struct visit_returns returns;
	char *names[3];
	size_t count;
	uint64_t step, address;

	if (error) {
		error_destroy(error);
		return;
	}
	visit.file = file;
	facts = debugfile_facts(file);
	debugfile_describe(file, &description);
	str_deinit(&description);
	visit_find_returns(file, &returns);
	visit.returns = &returns;
	visit_address(file, &returns, facts->entry);
	debugfile_find_type(file, facts->entry, "struct pair");
	visit_modules(&visit, facts->entry);
	debugfile_address_of_offset(file, facts->entry, &address);
	debugfile_each_slot(file, facts->entry, "work", visit_slot, &visit);
	for (unsigned i = 0; i < returns.count; i++)
		visit_address(file, &returns, returns.addresses[i]);
	/* all over the code, whether it has symbols or not */
	step = (facts->high - facts->low) / 16;
	for (uint64_t i = 0; i < 16; i++)
		visit_address(file, &returns, facts->low + i * step + i);
	debugfile_each_name(file, "", visit_name, &visit);
	visit.left = VISIT_LIMIT;
	debugfile_each_source(file, visit_source, &visit);
	error_destroy(debugfile_find_functions(file, "*a*", &functions));
	debugfile_has_version(file, "A");
	for (size_t i = 0; i < functions.count && i < VISIT_LIMIT; i++)
		debugfile_is_version(file, functions.data[i].address,
				     functions.data[i].name, "A");
	count = debugfile_near_names(file, "mian", names, 3);
	while (count)
		free(names[--count]);
	vec_free(&functions);
	debugfile_close(file);
}

/* Links to the file in memory: it is itself what else it names. */
static const char *const visit_links[] = {
	"program", "program.dwo", "program.dwp", "shared", "program.debug",
};
#define VISIT_LINKS (sizeof(visit_links) / sizeof(char *))
#define VISIT_FD 900

static inline char *visit_directory(void)
{
	static char directory[] = "/tmp/perftool-visit.XXXXXX";

	return directory;
}

static inline void visit_remove_links(void)
{
	char link[64];

	for (size_t i = 0; i < VISIT_LINKS; i++) {
		snprintf(link, sizeof(link), "%s/%s", visit_directory(),
			 visit_links[i]);
		unlink(link);
	}
	rmdir(visit_directory());
}

static inline void visit_make_links(void)
{
	static bool made;
	char link[64], path[64];

	if (made)
		return;
	made = true;
	if (!mkdtemp(visit_directory()))
		abort();
	atexit(visit_remove_links);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", VISIT_FD);
	for (size_t i = 0; i < VISIT_LINKS; i++) {
		snprintf(link, sizeof(link), "%s/%s", visit_directory(),
			 visit_links[i]);
		if (symlink(path, link) != 0)
			abort();
	}
}

/* The same for bytes in memory. */
static inline void visit_bytes(const void *bytes, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];

	visit_make_links();
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size ||
	    dup2(fd, VISIT_FD) < 0)
		abort();
	close(fd);
	snprintf(path, sizeof(path), "%s/program", visit_directory());
	visit_file(path);
	close(VISIT_FD);
}

#endif
