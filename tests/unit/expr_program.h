/*
 * expr_program.h - a program that is a table of variables, and a thread of it
 * that is an array of bytes
 *
 * The debuginfo layer's variables are replaced by those of the table, so that
 * every kind and every failure of them can be had. Included by one test
 * program, after cmocka's header, whose functions then stand in for those of
 * src/debuginfo.
 */
#ifndef EXPR_PROGRAM_H
#define EXPR_PROGRAM_H

#include <string.h>

#include "perftool/expr.h"

/* ---- a program that is a table ------------------------------------------ */

struct variable {
	const char *name, *type;
	enum variable_kind kind;
	unsigned size;
	struct value value;
	bool optimized_out;
};

#define SIGNED(n, t, s, v)                                                     \
	{                                                                      \
		.name = n, .type = t, .kind = VARIABLE_SIGNED, .size = s,      \
		.value = {                                                     \
			VALUE_SIGNED,                                          \
			{.i = v}                                               \
		}                                                              \
	}
#define UNSIGNED(n, t, s, v)                                                   \
	{                                                                      \
		.name = n, .type = t, .kind = VARIABLE_UNSIGNED, .size = s,    \
		.value = {                                                     \
			VALUE_UNSIGNED,                                        \
			{.u = v}                                               \
		}                                                              \
	}
#define POINTER(n, t, v)                                                       \
	{                                                                      \
		.name = n, .type = t, .kind = VARIABLE_POINTER, .size = 8,     \
		.value = {                                                     \
			VALUE_UNSIGNED,                                        \
			{.u = v}                                               \
		}                                                              \
	}
#define FLOATING(n, t, s, v)                                                   \
	{                                                                      \
		.name = n, .type = t, .kind = VARIABLE_FLOAT, .size = s,       \
		.value = {                                                     \
			VALUE_FLOAT,                                           \
			{.f = v}                                               \
		}                                                              \
	}

#define MEMORY 0x10000 /* where the target's memory is */

static const struct variable table[] = {
	SIGNED("pages", "int", 4, 1),
	SIGNED("negative", "int", 4, -5),
	SIGNED("small", "signed char", 1, -3),
	SIGNED("big", "long int", 8, INT64_MIN),
	UNSIGNED("letter", "unsigned char", 1, 200),
	UNSIGNED("count", "unsigned int", 4, 4000000000u),
	UNSIGNED("size", "size_t", 8, UINT64_MAX),
	UNSIGNED("flag", "_Bool", 1, 1),
	SIGNED("ns::total", "int", 4, 77),
	SIGNED("rax", "int", 4, 78),
	FLOATING("ratio", "double", 8, 0.25),
	FLOATING("third", "float", 4, 0.3333333432674407958984375),
	FLOATING("wide", "long double", 16, 1.5),
	POINTER("name", "const char *", MEMORY),
	POINTER("alias", "gchar *", MEMORY),
	POINTER("nothing", "char *", 0),
	POINTER("astray", "char *", 16),
	POINTER("numbers", "int *", MEMORY + 32),
	POINTER("names", "char **", MEMORY + 64),
	POINTER("object", "struct object *", MEMORY),
	POINTER("handler", "void (*)(int)", MEMORY),
	{.name = "array", .type = "int[4]", .kind = VARIABLE_OTHER, .size = 16},
	{.name = "huge",
	 .type = "__int128",
	 .kind = VARIABLE_SIGNED,
	 .size = 16},
	{.name = "gone",
	 .type = "int",
	 .kind = VARIABLE_SIGNED,
	 .size = 4,
	 .optimized_out = true},
	{.name = "none", .type = "int", .kind = VARIABLE_SIGNED, .size = 4},
};
#define TABLE_SIZE (sizeof(table) / sizeof(*table))

struct debugfile {
	int open_variables; /* found and not destroyed yet */
};

/* The address of which a variable can only be found behind the prologue. */
#define STACKED_AT 0x400

static struct debugfile program;

const struct debugfile_facts *debugfile_facts(const struct debugfile *file)
{
	static const struct debugfile_facts facts = {.has_dwarf = true};

	assert_ptr_equal(file, &program);
	return &facts;
}

struct error *debugfile_find_variable(struct debugfile *file, uint64_t address,
				      bool at_entry, const char *name,
				      struct variable **out)
{
	if (at_entry && address == STACKED_AT)
		return error_create(ERROR_EVALUATE,
				    "not in a register; use break FUNC");
	for (size_t i = 0; i < TABLE_SIZE; i++) {
		if (strcmp(table[i].name, name) == 0) {
			file->open_variables++;
			*out = (struct variable *)(uintptr_t)&table[i];
			return NULL;
		}
	}
	return error_create(ERROR_NOT_FOUND, "no variable '%s'", name);
}

void variable_destroy(struct variable *variable)
{
	if (variable)
		program.open_variables--;
}

enum variable_kind variable_kind(const struct variable *variable)
{
	return variable->kind;
}

unsigned variable_size(const struct variable *variable)
{
	return variable->size;
}

const char *variable_type_name(const struct variable *variable)
{
	return variable->type;
}

struct error *variable_read(const struct variable *variable,
			    const struct frame_reader *reader,
			    struct value *out)
{
	(void)reader;
	if (variable->optimized_out)
		return error_create(ERROR_EVALUATE, "optimized out");
	*out = variable->value;
	return NULL;
}

void debugfile_each_variable(struct debugfile *file, uint64_t address,
			     debugfile_visit_fn *visit, void *context)
{
	(void)file;
	(void)address;
	for (size_t i = 0; i < TABLE_SIZE; i++)
		if (!visit(context, table[i].name))
			return;
}

/* ---- a thread that is an array ------------------------------------------ */

struct memory {
	char bytes[512]; /* at MEMORY */
	size_t reads, read_bytes;
};

static inline bool read_memory(void *context, uint64_t address, void *buffer,
			       size_t size)
{
	struct memory *memory = context;

	memory->reads++;
	memory->read_bytes += size;
	if (address < MEMORY || address - MEMORY > sizeof(memory->bytes) ||
	    size > sizeof(memory->bytes) - (address - MEMORY))
		return false;
	memcpy(buffer, memory->bytes + (address - MEMORY), size);
	return true;
}

static inline bool node_count(void *context, uint32_t node, uint64_t *count)
{
	(void)context;
	if (node != 3)
		return false;
	*count = 41;
	return true;
}

struct thread {
	struct memory memory;
	struct user_regs_struct regs;
	struct expr_input input;
};

static inline void thread_init(struct thread *thread)
{
	static const int numbers[] = {10, -20, 30};
	static const uint64_t names[] = {MEMORY, MEMORY + 16};
	static const float f = 1.25f;
	static const double d = 2.5;
	static const long double l = 3.75L;

	memset(thread, 0, sizeof(*thread));
	memcpy(thread->memory.bytes, "hello", 6);
	memcpy(thread->memory.bytes + 16, "world", 6);
	memcpy(thread->memory.bytes + 32, numbers, sizeof(numbers));
	memcpy(thread->memory.bytes + 64, names, sizeof(names));
	memcpy(thread->memory.bytes + 96, &f, sizeof(f));
	memcpy(thread->memory.bytes + 104, &d, sizeof(d));
	memcpy(thread->memory.bytes + 112, &l, sizeof(l));
	/* the last bytes that can be read */
	memcpy(thread->memory.bytes + sizeof(thread->memory.bytes) - 3, "end",
	       3);
	thread->regs.rax = (uint64_t)-1;
	thread->regs.rdi = 1;
	thread->regs.rsi = 2;
	thread->regs.rdx = 3;
	thread->regs.rcx = 4;
	thread->regs.r8 = 5;
	thread->regs.r9 = (uint64_t)-6;
	thread->regs.rip = 0x401000;
	thread->regs.rsp = 0xffffffffff600000;
	thread->regs.rbp = 0x7ffc0010;
	thread->regs.rbx = 0x11223344556680ff;
	thread->input = (struct expr_input){
		.reader = {.read = read_memory,
			   .context = &thread->memory,
			   .regs = &thread->regs},
		.pid = 1234,
		.tid = 1235,
		.node_count = node_count,
	};
}

#endif
