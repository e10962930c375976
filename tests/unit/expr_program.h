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

#include "expr_types.h"
#include "perftool/base/alloc.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debuginfo/go_program.h"
#include "perftool/expr.h"

/* ---- a program that is a table ------------------------------------------ */

struct variable {
	const char *name;
	struct debugtype *type, *reference;
	uint64_t address; /* 0: it is in a register, or nowhere */
	struct value value;
	bool is_local, optimized_out;
	/* of other modules */
	struct debugfile *file;          /* NULL: the program */
	const char *declared, *exported; /* its symbol: see debuginfo.h */
	bool is_static;
};

#define SIGNED(n, t, v)                                                        \
	{                                                                      \
		.name = n, .type = t, .is_local = true, .value = {             \
			.kind = VALUE_SIGNED,                                  \
			.i = v                                                 \
		}                                                              \
	}
#define UNSIGNED(n, t, v)                                                      \
	{                                                                      \
		.name = n, .type = t, .is_local = true, .value = {             \
			.kind = VALUE_UNSIGNED,                                \
			.u = v                                                 \
		}                                                              \
	}
#define FLOATING(n, t, v)                                                      \
	{                                                                      \
		.name = n, .type = t, .is_local = true, .value = {             \
			.kind = VALUE_FLOAT,                                   \
			.f = v                                                 \
		}                                                              \
	}
#define STORED(n, t, a)                                                        \
	{                                                                      \
		.name = n, .type = t, .address = a                             \
	}

#define MEMORY 0x10000        /* where the target's memory is */
#define ITEM (MEMORY + 128)   /* a struct item */
#define OTHER (ITEM + 160)    /* another, which it points to */
#define OBJECT (OTHER + 160)  /* a struct derived */
#define VIRTUAL (OBJECT + 32) /* of a class with a virtual base */
#define VIEW (VIRTUAL + 64)   /* Rust's */
#define MEMORY_SIZE 1024

static const struct variable table[] = {
	SIGNED("pages", &t_int, 1),
	SIGNED("negative", &t_int, -5),
	SIGNED("small", &t_schar, -3),
	SIGNED("big", &t_long, INT64_MIN),
	UNSIGNED("letter", &t_uchar, 200),
	UNSIGNED("count", &t_unsigned, 4000000000u),
	UNSIGNED("size", &t_ulong, UINT64_MAX),
	UNSIGNED("flag", &t_bool, 1),
	SIGNED("ns::total", &t_int, 77),
	SIGNED("rax", &t_int, 78),
	FLOATING("ratio", &t_double, 0.25),
	FLOATING("third", &t_float, 0.3333333432674407958984375),
	FLOATING("wide", &t_ldouble, 1.5),
	STORED("stored", &t_ldouble, MEMORY + 112),
	UNSIGNED("name", &p_char, MEMORY),
	UNSIGNED("bytes", &p_uchar, MEMORY),
	UNSIGNED("nothing", &p_char, 0),
	UNSIGNED("astray", &p_char, 16),
	UNSIGNED("numbers", &p_int, MEMORY + 32),
	UNSIGNED("names", &p_p_char, MEMORY + 64),
	UNSIGNED("object", &p_item, ITEM),
	UNSIGNED("opaque", &p_declared, MEMORY),
	UNSIGNED("handler", &p_function, 0x401234),
	UNSIGNED("any", &p_void, MEMORY),
	STORED("item", &t_item, ITEM),
	STORED("virtual", &t_virtual, VIRTUAL),
	STORED("nowhere_near", &t_virtual, 0x20),
	STORED("array", &a_int4, MEMORY + 32),
	STORED("text", &a_char8, MEMORY),
	STORED("full", &a_char8, MEMORY + 16),
	STORED("huge", &t_int128, MEMORY),
	STORED("pair", &t_pair, ITEM),
	STORED("file.c::pages", &t_int, MEMORY + 36),
	STORED("view", &t_str, VIEW),
	STORED("lost", &t_str, VIEW + 16),
	STORED("some", &t_option, VIEW + 32),
	STORED("nought", &t_option, VIEW + 40),
	STORED("strange", &t_option, VIEW + 48),
	UNSIGNED("color", &t_color, BLUE),
	UNSIGNED("flags", &t_flags, 3),
	UNSIGNED("RED", &t_color, RED),
	UNSIGNED("BLUE", &t_color, BLUE),
	{.name = "gone",
	 .type = &t_int,
	 .is_local = true,
	 .optimized_out = true},
	{.name = "gone_item",
	 .type = &t_item,
	 .is_local = true,
	 .optimized_out = true},
	{.name = "none", .type = &t_int, .is_local = true},
	/* of a method of ns::derived */
	UNSIGNED("this", &p_derived, OBJECT),
	STORED("ns::derived::made", &t_int, MEMORY + 40),
	STORED("ns::base::bases", &t_int, MEMORY + 32),
	STORED("d", &t_int, MEMORY + 32), /* a global that a member hides */
	STORED("::d", &t_int, MEMORY + 32),
	{.name = "beyond",
	 .type = &t_int,
	 .optimized_out = true,
	 .declared = "beyond"},
	{.name = "nobodys",
	 .type = &t_int,
	 .optimized_out = true,
	 .declared = "nobodys"},
	{.name = "opaque_one",
	 .type = &t_declared,
	 .optimized_out = true,
	 .declared = "opaque_one"},
	{.name = "ns::derived::dropped",
	 .type = &t_int,
	 .optimized_out = true,
	 .declared = "_ZN2ns7derived7droppedE"},
};
#define TABLE_SIZE (sizeof(table) / sizeof(*table))

/* What the function returns, where that is known. */
static const struct variable returned = SIGNED("$ret", &t_int, -7);

struct debugfile {
	int open_variables; /* found and not destroyed yet */
	enum debugfile_language language;
	bool is_method, returns;
	const struct go_runtime *go; /* NULL: it is no Go program */
};

/* The address of which a variable can only be found behind the prologue. */
#define STACKED_AT 0x400

static struct debugfile program, library;

/* ---- modules: the program and a library ---------------------------------- */

#define LIBRARY_BIAS 0x8000

/* What the library has; addresses are those of its file. */
static const struct variable library_table[] = {
	{.name = "total",
	 .type = &t_int,
	 .address = MEMORY + 36 - LIBRARY_BIAS,
	 .file = &library},
	{.name = "hidden",
	 .type = &t_int,
	 .address = MEMORY + 40 - LIBRARY_BIAS,
	 .file = &library,
	 .is_static = true},
	/* the program has a copy of it */
	{.name = "copied",
	 .type = &t_int,
	 .address = 0x20,
	 .file = &library,
	 .exported = "copied"},
	/* and so it has of this, by another name */
	{.name = "aliased",
	 .type = &t_int,
	 .address = 0x20,
	 .file = &library,
	 .exported = "alias"},
	{.name = "opaque_one",
	 .type = &t_item,
	 .address = 0x20,
	 .file = &library},
	{.name = "__renamed",
	 .type = &t_int,
	 .address = MEMORY + 36 - LIBRARY_BIAS,
	 .file = &library},
};
#define LIBRARY_SIZE (sizeof(library_table) / sizeof(*library_table))

static const struct {
	struct debugfile *file;
	const char *name;
	uint64_t address;
	enum data_scope scope;
	bool is_thread_local;
} symbols[] = {
	{&library, "total", MEMORY + 36 - LIBRARY_BIAS, DATA_EXPORTED, false},
	{&library, "raw", MEMORY + 32 - LIBRARY_BIAS, DATA_EXPORTED, false},
	{&library, "errno", MEMORY + 36 - LIBRARY_BIAS, DATA_EXPORTED, true},
	{&library, "raw_static", MEMORY + 40 - LIBRARY_BIAS, DATA_LOCAL, false},
	{&library, "copied", 0x20, DATA_EXPORTED, false},
	{&library, "alias", 0x20, DATA_EXPORTED, false},
	{&program, "copied", MEMORY + 36, DATA_EXPORTED, false},
	{&program, "alias", MEMORY + 32, DATA_EXPORTED, false},
	{&library, "beyond", MEMORY + 40 - LIBRARY_BIAS, DATA_EXPORTED, false},
	{&library, "opaque_one", ITEM - LIBRARY_BIAS, DATA_EXPORTED, false},
	{&library, "renamed", MEMORY + 36 - LIBRARY_BIAS, DATA_EXPORTED, false},
	{&library, "__renamed", MEMORY + 36 - LIBRARY_BIAS, DATA_EXPORTED,
	 false},
	{&program, "own", MEMORY + 40, DATA_GLOBAL, false},
	{&program, "own_declared", MEMORY + 40, DATA_GLOBAL, false},
};
#define SYMBOLS (sizeof(symbols) / sizeof(*symbols))

bool debugfile_find_data(struct debugfile *file, const char *name,
			 enum data_scope scope, struct data_symbol *out)
{
	for (size_t i = 0; i < SYMBOLS; i++) {
		if (symbols[i].file != file ||
		    strcmp(symbols[i].name, name) != 0 ||
		    (symbols[i].scope != scope &&
		     (scope != DATA_GLOBAL ||
		      symbols[i].scope != DATA_EXPORTED)))
			continue;
		*out = (struct data_symbol){.address = symbols[i].address,
					    .size = 4,
					    .is_thread_local =
						    symbols[i].is_thread_local};
		return true;
	}
	return false;
}

bool debugfile_has_data(struct debugfile *file, const char *name)
{
	return file == &library && strcmp(name, "raw") != 0;
}

struct variable *debugfile_variable_at(struct debugfile *file,
				       const struct data_symbol *symbol,
				       struct debugtype *type)
{
	struct variable *variable = xcalloc(1, sizeof(*variable));

	program.open_variables++;
	variable->type = type ? type : &t_unknown;
	variable->address = symbol->address;
	variable->file = file;
	return variable;
}

char *debugfile_exported_at(struct debugfile *file, uint64_t address,
			    size_t index)
{
	for (size_t i = 0; i < SYMBOLS; i++)
		if (symbols[i].file == file && symbols[i].address == address &&
		    index-- == 0)
			return xstrdup(symbols[i].name);
	return NULL;
}

struct debugtype *debugfile_declared_type(struct debugfile *file,
					  const char *name)
{
	return file == &program && strcmp(name, "own_declared") == 0 ? &t_int
								     : NULL;
}

const char *debugfile_path(const struct debugfile *file)
{
	return file == &library ? "/lib/library.so" : "/bin/program";
}

struct debugfile *variable_file(const struct variable *variable)
{
	return variable->file ? variable->file : &program;
}

const char *variable_declared(const struct variable *variable)
{
	return variable->declared;
}

bool variable_is_external(const struct variable *variable)
{
	return !variable->is_static;
}

char *variable_exported(const struct variable *variable, size_t index)
{
	return variable->exported && !index ? xstrdup(variable->exported)
					    : NULL;
}

/* ---- the program ----------------------------------------------------------
 */

const struct debugfile_facts *debugfile_facts(const struct debugfile *file)
{
	static const struct debugfile_facts facts = {.has_dwarf = true};

	assert_true(file == &program || file == &library);
	return &facts;
}

static struct variable *opened(const struct variable *variable)
{
	program.open_variables++;
	return (struct variable *)(uintptr_t)variable;
}

struct error *debugfile_find_variable(struct debugfile *file, uint64_t address,
				      bool at_entry, const char *name,
				      struct variable **out)
{
	if (at_entry && address == STACKED_AT)
		return error_create(ERROR_EVALUATE,
				    "not in a register; use break FUNC");
	for (size_t i = 0; file == &library && i < LIBRARY_SIZE; i++) {
		if (strcmp(library_table[i].name, name) == 0) {
			*out = opened(&library_table[i]);
			return NULL;
		}
	}
	for (size_t i = 0; file == &program && i < TABLE_SIZE; i++) {
		if (strcmp(name, "this") == 0 && !file->is_method)
			continue;
		if (strcmp(table[i].name, name) == 0) {
			*out = opened(&table[i]);
			return NULL;
		}
	}
	return error_create(ERROR_NOT_FOUND, "no variable '%s'", name);
}

struct error *debugfile_find_global(struct debugfile *file, const char *name,
				    struct variable **out)
{
	return debugfile_find_variable(file, UINT64_MAX, false, name, out);
}

struct error *debugfile_find_variable_of(struct debugfile *file,
					 uint64_t address, bool at_entry,
					 unsigned frame, const char *name,
					 struct variable **out)
{
	assert_int_equal(frame, 0);
	return debugfile_find_variable(file, address, at_entry, name, out);
}

struct error *debugfile_find_return(struct debugfile *file, uint64_t address,
				    struct variable **out)
{
	(void)address;
	if (!file->returns)
		return error_create(ERROR_NOT_FOUND, "nobody knows");
	*out = opened(&returned);
	return NULL;
}

void variable_destroy(struct variable *variable)
{
	const struct variable *first = library_table;

	if (!variable)
		return;
	program.open_variables--;
	if (variable->file &&
	    (variable < first || variable >= first + LIBRARY_SIZE))
		free(variable); /* it was made */
}

struct debugtype *variable_debugtype(const struct variable *variable)
{
	return variable->type;
}

bool variable_is_local(const struct variable *variable)
{
	return variable->is_local;
}

bool variable_find_by_sp(struct variable *variable)
{
	return !variable->is_local;
}

const struct go_runtime *debugfile_go(struct debugfile *file)
{
	return file->go;
}

enum debugfile_language debugfile_language(struct debugfile *file,
					   uint64_t address)
{
	(void)address;
	return file->language;
}

struct error *debugfile_find_functions(struct debugfile *file,
				       const char *pattern,
				       struct function_list *out)
{
	static const struct function functions[] = {
		{.address = 0x1234, .name = "work"},
		{.address = 0x2000, .name = "twice"},
		{.address = 0x2100, .name = "twice"},
		{.address = 0x2200, .name = "ns::scoped"},
	};

	if (file == &library) {
		if (strcmp(pattern, "beyond_it") == 0)
			vec_push(out, (struct function){.address = 0x3000,
							.name = "beyond_it"});
		return NULL;
	}
	for (size_t i = 0; i < 4; i++) {
		const char *name = functions[i].name;

		if (strcmp(name, pattern) == 0 ||
		    (strcmp(pattern, "scoped") == 0 && i == 3))
			vec_push(out, functions[i]);
	}
	return NULL;
}

bool debugfile_function_at(struct debugfile *file, uint64_t address,
			   struct function *out)
{
	(void)file;
	*out = (struct function){.address = 0x1234,
				 .name = program.is_method
						 ? "ns::derived::method(int)"
						 : "work"};
	return program.is_method || (address >= 0x1234 && address < 0x1240);
}

bool debugfile_append_symbol(struct debugfile *file, uint64_t address,
			     struct str *out)
{
	struct function function;
	uint64_t offset;

	if (!debugfile_function_at(file, address, &function))
		return false;
	offset = address - function.address;
	str_printf(out, offset ? " <%s+%lu>" : " <%s>", function.name, offset);
	return true;
}

struct debugtype *debugfile_function_type(struct debugfile *file,
					  uint64_t address)
{
	assert_true(file == &program || file == &library);
	return address == 0x1234 ? &t_function : NULL;
}

struct debugtype *variable_current_type(const struct variable *variable,
					const struct frame_reader *reader)
{
	assert_non_null(reader->scratch);
	return variable->type;
}

struct debugtype *variable_reference(const struct variable *variable)
{
	return variable->reference;
}

char *debuginfo_demangle(const char *name)
{
	return xstrdup(name);
}

/* No place has frames. */
void debugfile_source_frames(struct debugfile *file, uint64_t address,
			     unsigned first, struct source_frame_list *out)
{
	(void)file, (void)address, (void)first, (void)out;
}

void source_frames_clear(struct source_frame_list *frames)
{
	(void)frames;
}

bool debugfile_cfa_rule(struct debugfile *file, uint64_t address,
			struct cfa_rule *out)
{
	(void)file, (void)address, (void)out;
	return false;
}

struct error *debugfile_unwind(struct debugfile *file,
			       const struct frame_reader *reader,
			       struct user_regs_struct *caller)
{
	(void)file, (void)reader, (void)caller;
	return error_create(ERROR_NOT_FOUND, "no frame");
}

bool frame_read(const struct frame_reader *reader, uint64_t address,
		void *buffer, size_t size)
{
	if (!scratch_has(address))
		return reader->read &&
		       reader->read(reader->context, address, buffer, size);
	assert_non_null(reader->scratch);
	address -= SCRATCH_BASE;
	if (address + size > reader->scratch->used)
		return false;
	memcpy(buffer, reader->scratch->bytes + address, size);
	return true;
}

struct error *variable_read(const struct variable *variable,
			    const struct frame_reader *reader,
			    struct value *out)
{
	if (variable->optimized_out)
		return error_create(ERROR_EVALUATE, "optimized out");
	*out = variable->value;
	if (!variable->address)
		return NULL;
	*out = value_signed(0);
	/* of the table, only ints are both stored and scalars */
	assert_int_equal(variable->type->size, 4);
	if (!frame_read(reader,
			variable->address +
				(variable->file == &library ? reader->bias : 0),
			&out->i, 4))
		return error_create(ERROR_EVALUATE, "unreadable");
	out->i = (int32_t)out->i;
	return NULL;
}

struct error *variable_address(const struct variable *variable,
			       const struct frame_reader *reader, uint64_t *out)
{
	struct scratch *scratch = reader->scratch;
	long double wide = (long double)variable->value.f;
	float narrow = (float)variable->value.f;
	const void *bytes = &variable->value.u;

	if (variable->optimized_out)
		return error_create(ERROR_EVALUATE, "optimized out");
	*out = variable->address;
	if (variable->file == &library)
		*out += reader->bias;
	if (*out)
		return NULL;
	assert_non_null(scratch);
	if (variable->type == &t_ldouble)
		bytes = &wide;
	else if (variable->type == &t_float)
		bytes = &narrow;
	*out = SCRATCH_BASE + scratch->used;
	memcpy(scratch->bytes + scratch->used, bytes, variable->type->size);
	scratch->used += 16;
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
	char bytes[MEMORY_SIZE]; /* at MEMORY */
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

	const struct item item = {
		.id = 7,
		.at = {-3, 4},
		.as_float = 1.5f,
		.low = 5,
		.high = -2,
		.crossing = 0xfedcba987654321,
		.next = (struct item *)OTHER,
		.name = "first",
		.numbers = {1, -2, 3, 4},
		.points = {{5, 6}, {7, 8}},
		.where = (struct point *)(OTHER + offsetof(struct item, at)),
		.color = BLUE,
		.grid = {{1, 2, 3}, {4, 5, 6}},
	};
	const struct item other = {.id = 8, .at = {9, 10}, .name = "fullname"};
	const struct derived object = {
		.b = 20, .d = 21, .ref = (int *)(MEMORY + 36)};

	/* an offset, `own`, and the base there */
	const int virtual[] = {20, 0, 31, 0, 0, 32};

	/* "hell" of "hello"; a string that leads nowhere; Some(7), None, and
	 * what is neither */
	const uint64_t views[] = {MEMORY, 4, 16, 3};
	const int options[] = {1, 7, 0, 8, 9, 9};

	memset(thread, 0, sizeof(*thread));
	memcpy(thread->memory.bytes + (VIEW - MEMORY), views, sizeof(views));
	memcpy(thread->memory.bytes + (VIEW + 32 - MEMORY), options,
	       sizeof(options));
	memcpy(thread->memory.bytes + (ITEM - MEMORY), &item, sizeof(item));
	memcpy(thread->memory.bytes + (OTHER - MEMORY), &other, sizeof(other));
	memcpy(thread->memory.bytes + (OBJECT - MEMORY), &object,
	       sizeof(object));
	memcpy(thread->memory.bytes + (VIRTUAL - MEMORY), virtual,
	       sizeof(virtual));
	memcpy(thread->memory.bytes, "hello", 6);
	memcpy(thread->memory.bytes + 16, "worldful", 8);
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
