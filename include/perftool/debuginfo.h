/*
 * debuginfo.h - one ELF file: its symbols, lines, variables, frames
 *
 * All addresses here are those of the file (link time); the caller, which knows
 * where it was loaded, adds the load bias. Everything is read when it is first
 * asked for, so that opening a file costs the same whatever its size. Debug
 * information and symbols that are in files of their own (Debian's -dbg
 * packages, .dwo and .dwp, what dwz shares) are found and used as if they were
 * in the file. Memory and registers of a target are reached only through the
 * callbacks of struct frame_reader. No file, however broken, may crash a reader
 * or make it read outside the file: such a file is an error (ERROR_BAD_FILE) or
 * simply knows less.
 */
#ifndef PERFTOOL_DEBUGINFO_H
#define PERFTOOL_DEBUGINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "perftool/base/error.h"
#include "perftool/base/hit.h"
#include "perftool/base/str.h"
#include "perftool/base/vec.h"

struct debugfile;

/*
 * Open the file at `path` (any path that can be opened, /proc/PID/root/...).
 * Fails with ERROR_BAD_FILE and a reason when it is not an x86-64 ELF program
 * or library: a directory, a script, a 32-bit program, truncated.
 */
struct error *debugfile_open(const char *path, struct debugfile **out);

/* The same, with directories to look for separate debug information in before
 * the system's (/usr/lib/debug); each as /usr/lib/debug is laid out, or with
 * the files side by side. Their names are copied. */
VEC_STRUCT(debug_directories, char *);
struct error *debugfile_open_with(const char *path,
				  const struct debug_directories *directories,
				  struct debugfile **out);
void debugfile_close(struct debugfile *file);

/* An error if the file, or another one with its debug information, could not be
 * read somewhere since the last call. What is there is not known then. */
struct error *debugfile_check(const struct debugfile *file);

const char *debugfile_path(const struct debugfile *file);

struct debugfile_facts {
	bool position_independent; /* ET_DYN: PIE or library */
	bool is_static;            /* no PT_INTERP and no DT_NEEDED */
	bool has_symtab, has_dynsym, has_dwarf;
	/* the run-time linker changes its code (DT_TEXTREL) */
	bool has_text_relocations;
	uint64_t entry;
	uint64_t dynamic;        /* the dynamic section; 0: there is none */
	uint64_t low, high;      /* of all PT_LOAD segments, page-rounded */
	const char *soname;      /* DT_SONAME or NULL */
	const char *interpreter; /* PT_INTERP or NULL */
	const char *build_id;    /* in hexadecimal digits, or NULL */
	/* the separate file of debug information that is used, or NULL */
	const char *debug_path;
	/* one that was found but is of another build, or NULL */
	const char *debug_mismatch;
};
const struct debugfile_facts *debugfile_facts(const struct debugfile *file);

/*
 * Append what is known of the file's insides, in one line without its end:
 * "debug information (DWARF 5, C++) in /usr/lib/debug/...", "symbols only: no
 * debug information; Debian's package libc6-dbg would bring it", "debug
 * information (DWARF 5), but 2 of 7 .dwo files are missing (first: ...)". It
 * looks for all that is in other files.
 */
void debugfile_describe(struct debugfile *file, struct str *out);

/* Bytes of a PT_LOAD segment as they are in the file; returns how many. */
size_t debugfile_read(const struct debugfile *file, uint64_t address,
		      void *buffer, size_t size);

struct range {
	uint64_t low, high; /* [low, high) */
};
VEC_STRUCT(range_list, struct range);

/* The code of the file, one piece for each index from 0 on; false: there are no
 * more. */
bool debugfile_code(const struct debugfile *file, size_t index,
		    struct range *out);

/* A PT_LOAD segment that has bytes of the file: where its first page goes, and
 * the offset in the file where that page begins. */
struct loadable {
	uint64_t address, offset;
};
/* One for each index from 0 on; false: there are no more. */
bool debugfile_loadable(const struct debugfile *file, size_t index,
			struct loadable *out);

/* The offset in the file of the byte that is loaded at an address; false: the
 * file has no byte for it. */
bool debugfile_offset_of_address(const struct debugfile *file, uint64_t address,
				 uint64_t *offset);

/*
 * The address in the file that is loaded from this offset of it, if any. A page
 * of a file can be loaded by two segments that meet in it (lld does not pad
 * them apart): what is asked for is an executable mapping.
 */
bool debugfile_address_of_offset(const struct debugfile *file, uint64_t offset,
				 uint64_t *address);

/* ---- functions ------------------------------------------------------ */

struct function {
	uint64_t address; /* of its first instruction */
	uint64_t size;    /* 0: unknown to the symbol table */
	const char *name; /* as linked, owned by the file */
	bool indirect;    /* STT_GNU_IFUNC: address is the resolver's */
	bool untyped;     /* STT_NOTYPE: a label of an assembler's */
	bool local;       /* STB_LOCAL: static */
};
VEC_STRUCT(function_list, struct function);

/* Is there one at all? One that only .eh_frame tells of has no name. */
static inline bool function_is_known(const struct function *function)
{
	return function->name || function->size;
}

/*
 * Append the functions that `pattern` names: as linked, or demangled, or a glob
 * over either. Of a demangled name outer scopes may be left out, template
 * arguments, parameters and what follows them; what is written may be spelled
 * in any way (`unsigned`, `const T &`, typedefs of the program, of std's
 * templates the default arguments left out). Aliases of one address are one
 * function: of the names that match, a global one is preferred, then the
 * shortest. Copies that a compiler made (.constprop, .isra) match the name of
 * their original. Where no function is called `f(char*)`, that is a glob, too.
 * Symbol versions are ignored; cold parts (".cold", ".part") are no functions
 * of their own unless named exactly. Finding none is not an error.
 */
struct error *debugfile_find_functions(struct debugfile *file,
				       const char *pattern,
				       struct function_list *out);

/* Is `pattern` a glob whatever functions there are? The signs of pointers,
 * arrays and operators do not make it one. */
bool debuginfo_is_glob(const char *pattern);

/*
 * The functions that `name` would be without its parameters and template
 * arguments, in full, at most `max`; the caller frees each. 0: it has none, or
 * that is no function, either.
 */
size_t debugfile_overloads(struct debugfile *file, const char *name,
			   char **names, size_t max);

/*
 * Visit the words of the file that hold, once it is loaded and relocated, the
 * address of what the resolver of an indirect function has chosen (`resolver`:
 * its address in this file, 0: it is of another), or of the function that is
 * linked as `name`. One that is bound lazily may hold something else yet.
 */
typedef bool debugfile_visit_slot_fn(void *context, uint64_t address);
void debugfile_each_slot(struct debugfile *file, uint64_t resolver,
			 const char *name, debugfile_visit_slot_fn *visit,
			 void *context);

/*
 * Versions of symbols, as in memcpy@GLIBC_2.2.5: does the file define one of
 * this name; and is the function at `address` that of `name` there?
 */
bool debugfile_has_version(struct debugfile *file, const char *version);
bool debugfile_is_version(struct debugfile *file, uint64_t address,
			  const char *name, const char *version);

/* The function whose code contains `address` (by symbol, else by DWARF, else
 * by .eh_frame: then its name is NULL). Cold parts belong to their function. */
bool debugfile_function_at(struct debugfile *file, uint64_t address,
			   struct function *out);

/* Append what has the byte at `address`, a function or else an object of data,
 * as ` <name+4>`. False: nothing has. */
bool debugfile_append_symbol(struct debugfile *file, uint64_t address,
			     struct str *out);

/* All code of a function: its size, cold parts, DW_AT_ranges. Sorted. */
struct error *debugfile_function_ranges(struct debugfile *file,
					const struct function *function,
					struct range_list *out);

/* Is the instruction at this address of the file part of a restartable sequence
 * (rseq(2)), as far as the section __rseq_cs tells? */
bool debugfile_in_sequence(struct debugfile *file, uint64_t address);

/*
 * The entries of the calls that were inlined, of the functions that `pattern`
 * names (as above, but for names of aliases), with the source line there
 * (`file` NULL: not known). A part of a function that gcc has split off and
 * inlined into it again is no call. `*no_code`, unless NULL: there were such
 * calls, but nothing is left of any. The first request of a name that is among
 * the file's strings reads all debug information of the file.
 */
struct line_list;
struct error *debugfile_find_inlined(struct debugfile *file,
				     const char *pattern, struct line_list *out,
				     bool *no_code);

/* Read now what that will need, if it will. Who is going to ask for it asks for
 * this first: what else is asked of the file, be it in a corner of it, then
 * takes no time. */
void debugfile_prepare_inlined(struct debugfile *file, const char *pattern);

/* Name for people: demangled (C++, Rust), the caller frees it. */
char *debuginfo_demangle(const char *name);
/* The same, with all that the mangled name has to tell it from others: where
 * Rust gives instances of a generic function a hash, with that. */
char *debuginfo_demangle_apart(const char *name);

/* Call `visit` with every function name (demangled without parameters) that
 * starts with `prefix`, until it returns false. For completion. */
typedef bool debugfile_visit_fn(void *context, const char *name);
void debugfile_each_name(struct debugfile *file, const char *prefix,
			 debugfile_visit_fn *visit, void *context);

/* Names most like `name`, best first, at most `max`; the caller frees each. */
size_t debugfile_near_names(struct debugfile *file, const char *name,
			    char **names, size_t max);

/* ---- lines ---------------------------------------------------------- */

/* The address after the prologue, as gdb's `break FUNC` chooses it: by the
 * line table, else by looking at the instructions. */
struct error *debugfile_skip_prologue(struct debugfile *file,
				      const struct function *function,
				      uint64_t *address);

struct line_place {
	uint64_t address;
	uint32_t line;    /* the line that has the code: may be a later one */
	const char *file; /* owned by the debugfile */
	unsigned frame;   /* of debugfile_find_inlined(): the frame at `address`
			     that was looked for */
};
VEC_STRUCT(line_list, struct line_place);

/*
 * Where FILE:LINE is: its lowest is_stmt address in each block that has code of
 * it, as gdb has it: a function, an inlined copy, a block within it that
 * declares something. A line without code slides to the next one that has some.
 * `name` is matched against the end of the paths, by whole components. Finding
 * none is not an error.
 */
struct error *debugfile_find_line(struct debugfile *file, const char *name,
				  uint32_t line, struct line_list *out);

/* Is `wanted` the end of `path`, by whole components? "./" does not count. */
bool debugfile_path_matches(const char *path, const char *wanted);

/* The source line of an address. Where rows of several files have it, it is the
 * one of the file that the function or inlined call there is written in. */
bool debugfile_source_at(struct debugfile *file, uint64_t address,
			 const char **path, uint32_t *line);

/* Where the function at `address` is declared (its definition, if that is
 * elsewhere). False: not known. */
bool debugfile_written_at(struct debugfile *file, uint64_t address,
			  const char **path, uint32_t *line);

/* The line that a function begins with; if something is inlined there, of
 * another file, the first of its own file, else that where it is declared.
 * False: not known. */
bool debugfile_opening(struct debugfile *file, const struct function *function,
		       const char **path, uint32_t *line);

/*
 * Is the function at `address` written in the source file `source` (as FILE of
 * debugfile_find_line())? `inlined`: not the function, but a call that was
 * inlined there of what this name means. Without debug information of it, its
 * line says.
 */
bool debugfile_is_written_in(struct debugfile *file, uint64_t address,
			     const char *inlined, const char *source);

/* What the source shows as a frame, though the machine has it in another. */
struct source_frame {
	char *name;       /* of the function, for people; NULL: not known */
	char *function;   /* the same without its parameters; or NULL */
	const char *file; /* where in it; NULL: not known */
	uint32_t line;
	bool inlined; /* its caller is the next of the list */
};
VEC_STRUCT(source_frame_list, struct source_frame);

/*
 * Append the frames of `address`: the calls that were inlined there, innermost
 * first, and last the function itself. Always one at least. Frames are counted
 * from 0, the innermost; those before number `first` are left out, and that one
 * is then where the call of the last of these is written.
 */
void debugfile_source_frames(struct debugfile *file, uint64_t address,
			     unsigned first, struct source_frame_list *out);

/*
 * How many of the inlined calls begin at `address`: they may be taken as
 * entered, or as yet to be called, which is what gdb does at a stop but for the
 * functions that the breakpoint is about.
 */
unsigned debugfile_frames_begun(struct debugfile *file, uint64_t address);

/* The number of the frame of `address` that is at this line there: one that
 * calls, in this line, what begins there, else the innermost. */
unsigned debugfile_frame_of_line(struct debugfile *file, uint64_t address,
				 const char *path, uint32_t line);
void source_frames_clear(struct source_frame_list *frames);

/* Source files with line information, until `visit` returns false. */
void debugfile_each_source(struct debugfile *file, debugfile_visit_fn *visit,
			   void *context);

/* ---- frames --------------------------------------------------------- */

/* Where the CFA is at an instruction: a register plus an offset. */
struct cfa_rule {
	unsigned reg; /* DWARF number: 7 is rsp, 6 is rbp */
	int64_t offset;
};

/* From .eh_frame or .debug_frame. False: not known, or an expression. */
bool debugfile_cfa_rule(struct debugfile *file, uint64_t address,
			struct cfa_rule *out);

/*
 * What a value is made of that is nowhere in the target's memory as a whole: in
 * registers, in pieces, known without being stored. It is put together here,
 * and has an address that no program has (it is not canonical), so that members
 * of it and what points to it are read as all else is, by frame_read().
 */
#define SCRATCH_BASE 0x8000000000000000ULL
#define SCRATCH_SIZE 4096
struct scratch {
	size_t used;
	uint8_t missing[SCRATCH_SIZE / 8]; /* bytes that are optimized out, of
					      what is there otherwise */
	uint8_t bytes[SCRATCH_SIZE];
};

/* Is it the address of something in a scratch, which has no address at all as
 * far as the program goes? */
static inline bool scratch_has(uint64_t address)
{
	return address - SCRATCH_BASE < SCRATCH_SIZE;
}

/* How a target's memory and registers are reached. `bias` is the load bias
 * of the file: run-time address = file address + bias. */
struct frame_reader {
	bool (*read)(void *context, uint64_t address, void *buffer,
		     size_t size);
	void *context;
	const struct user_regs_struct *regs; /* rip as in the running target */
	/* the thread's x87 and vector registers; NULL, or false: cannot be had.
	 * Asked only when something is in one. */
	bool (*read_vectors)(void *context, struct user_fpregs_struct *out);
	uint64_t bias;
	struct scratch *scratch; /* NULL: what would need it is ERROR_EVALUATE;
				    `used` is 0 at first, and the bytes must
				    live as long as addresses in it are used */
};

/* Read the target's memory, or the scratch. False: it cannot be read; in the
 * scratch: some of it is optimized out. */
bool frame_read(const struct frame_reader *reader, uint64_t address,
		void *buffer, size_t size);

/* Is there call frame information for the code at `address`? */
bool debugfile_has_frame(struct debugfile *file, uint64_t address);

/* May an exception be caught, or something be cleaned up for one, in the
 * function that has `address`? */
bool debugfile_has_pads(struct debugfile *file, uint64_t address);

/* Is the code at `address` what a signal handler returns to? The pc of its
 * caller is then where the signal came, and no return address. */
bool debugfile_is_signal_frame(struct debugfile *file, uint64_t address);

/*
 * The caller's registers: of what the call frame information at the pc lets
 * us recover. `regs->rip` becomes the return address; for the next frame, and
 * for names and lines, use return address - 1: a call that never returns may
 * be a function's last instruction. ERROR_NOT_FOUND: no information, or the
 * outermost frame. ERROR_EVALUATE: memory that is needed cannot be read.
 */
struct error *debugfile_unwind(struct debugfile *file,
			       const struct frame_reader *reader,
			       struct user_regs_struct *caller);

/* ---- Go ------------------------------------------------------------- */

/*
 * A Go program's goroutines: what a thread needs to find the one that it
 * executes. The descriptor's address is in a thread-local variable; it is 0 in
 * a thread that the Go runtime does not know.
 */
struct go_runtime {
	struct range code;  /* what Go compiled, in the file */
	bool has_slot;      /* it is known where the variable is: */
	int32_t slot;       /* from the thread pointer (the fs base) */
	uint32_t stack_top; /* where the descriptor has the end of the stack */
	uint32_t goid;      /* and the goroutine's number; 0: not known. The
			       number is 0 on the stacks of the runtime's own
			       threads. */
};

/* NULL: it is no Go program, by its build information. */
const struct go_runtime *debugfile_go(struct debugfile *file);
/* Is there the variable, whenever the code at this address is executed? Not in
 * what the runtime begins with. */
bool debugfile_go_has_begun(struct debugfile *file, uint64_t address);
/* Was the code at this address compiled by Go, and is it a program's? */
bool debugfile_is_go_code(struct debugfile *file, uint64_t address);

/*
 * Where a call of a function begins, that is its first instruction, but in Go
 * the one behind the check for room on the stack: a function that finds none
 * has the stack grow, or lets another goroutine run, and then begins anew. The
 * registers that pass arguments, and the stack pointer, are the same there.
 */
uint64_t debugfile_go_begins(struct debugfile *file,
			     const struct function *function);

/* ---- variables ------------------------------------------------------ */

/*
 * Where a variable lives and what type it has, found once for a place and
 * read at every hit. Scope: parameters and locals of the function at
 * `address`, then variables of the compilation unit and of the file.
 */
struct variable;

/*
 * Look `name` up at `address`. `at_entry`: the address is the function's first
 * instruction, so parameters are where the ABI puts them, not where DWARF says
 * they will be (what is passed otherwise: ERROR_EVALUATE with the advice to
 * use `break FUNC`). A name may have a scope: `ns::name`, `Class::member` (a
 * static one), `::name` (none: not a local), `function::name` (a static of its
 * blocks), `file.c::name` (the static of that file). One that is only declared
 * there is found, too: see variable_declared(). ERROR_NOT_FOUND: no such
 * variable there.
 */
struct error *debugfile_find_variable(struct debugfile *file, uint64_t address,
				      bool at_entry, const char *name,
				      struct variable **out);

/* The same as seen from frame number `frame` of debugfile_source_frames(): 0 is
 * the innermost. */
struct error *debugfile_find_variable_of(struct debugfile *file,
					 uint64_t address, bool at_entry,
					 unsigned frame, const char *name,
					 struct variable **out);

/*
 * Visit the variables of that frame alone until `visit` returns false: its
 * parameters in their order, then its locals, those of inner blocks first. Each
 * belongs to the visitor; or, instead, an error that tells why it cannot be
 * had, belongs to it.
 */
typedef bool debugfile_visit_variable_fn(void *context, const char *name,
					 bool is_parameter,
					 struct variable *variable,
					 struct error *error);
void debugfile_each_frame_variable(struct debugfile *file, uint64_t address,
				   bool at_entry, unsigned frame,
				   debugfile_visit_variable_fn *visit,
				   void *context);

/*
 * What the function at `address` returns, at one of its exits, where the ABI
 * puts it: in rax (and rdx), xmm0 (and xmm1), st(0), or in memory that rax
 * points to. ERROR_NOT_FOUND: nobody knows its type, or it is void.
 */
struct error *debugfile_find_return(struct debugfile *file, uint64_t address,
				    struct variable **out);
void variable_destroy(struct variable *variable);

/* The type of the function that is at `address`; NULL: nobody knows it. */
struct debugtype *debugfile_function_type(struct debugfile *file,
					  uint64_t address);

/* What a value of it is; of a C++ reference, what it refers to. */
struct debugtype *variable_debugtype(const struct variable *variable);

/*
 * The type of the value as it is now: of an array of variable length, the one
 * with the number of its elements; of others, variable_debugtype(). Such types
 * are kept until the file is closed: call it to print, not at every hit.
 */
struct debugtype *variable_current_type(const struct variable *variable,
					const struct frame_reader *reader);

/* Of a C++ reference, the type of the reference itself; else NULL. */
struct debugtype *variable_reference(const struct variable *variable);

/* Is it a parameter or local of the function (statics of a block too)? */
bool variable_is_local(const struct variable *variable);

/* From here on find it without other registers than rip and rsp, at the place
 * that it was looked up for. False: it needs others, or might. */
bool variable_find_by_sp(struct variable *variable);

/*
 * The value of a scalar: VALUE_SIGNED, VALUE_UNSIGNED (pointers too) or
 * VALUE_FLOAT. A pointer whose target was optimized into registers points into
 * the scratch. ERROR_EVALUATE: unreadable or optimized out.
 */
struct error *variable_read(const struct variable *variable,
			    const struct frame_reader *reader,
			    struct value *out);

/*
 * Where it is: in memory (of a C++ reference: where that is what it refers to),
 * or, of what is elsewhere, where in the scratch it was put. What is optimized
 * out only in part has an address, and its other parts can be read.
 * ERROR_EVALUATE: optimized out, or nobody can tell.
 */
struct error *variable_address(const struct variable *variable,
			       const struct frame_reader *reader,
			       uint64_t *out);

/*
 * Where a variable is when a thread is at the address that it was found for, as
 * far as code there could have it that can add up a register and a constant.
 * (A reference is what holds the address.) Nothing that it says to read can
 * fault: it is in a segment of the file, or in the frame that is there.
 */
enum simple_kind {
	SIMPLE_VALUE,  /* its bytes are those of the sum, from the lowest */
	SIMPLE_MEMORY, /* it is in memory, at the sum */
	SIMPLE_THREAD_LOCAL, /* in the thread's own copy */
	SIMPLE_GONE,         /* optimized out */
	SIMPLE_UNSAFE, /* in memory that is not, or no more, part of a frame */
	SIMPLE_NOT,    /* in pieces, computed, in a vector register */
};
struct simple_place {
	enum simple_kind kind;
	bool has_register;
	unsigned reg;    /* DWARF number, 0 .. 15 */
	bool is_biased;  /* plus where the file was loaded */
	uint64_t offset; /* all that is added; it wraps */
	/* bytes that can be read: in front of it, and from it on */
	uint64_t before, after;
};
void variable_simple_place(const struct variable *variable,
			   struct simple_place *out);

/* ---- variables of other modules ------------------------------------------
 */

/* The file that the variable is in. Read it with the load bias of this file. */
struct debugfile *variable_file(const struct variable *variable);

/*
 * It was found as no more than a declaration (`extern`, a static member): its
 * type is known, and the name it is linked by is returned. Where it is, the
 * symbols of whoever defines it tell; until then it is optimized out. NULL: it
 * is no such.
 */
const char *variable_declared(const struct variable *variable);

/* Do other files see it (external linkage)? */
bool variable_is_external(const struct variable *variable);

/*
 * The name number `index` (from 0) by which a library exports the variable, so
 * that all use the program's instead where that has one of the name (by a copy
 * relocation, mostly); NULL: no more, or it is none of a library's that could
 * be replaced. The caller frees it.
 */
char *variable_exported(const struct variable *variable, size_t index);

/* An object of data, by its symbol. */
struct data_symbol {
	uint64_t address; /* thread-local: in the file's block */
	uint64_t size;    /* 0: not known */
	bool is_thread_local;
};
enum data_scope {
	DATA_EXPORTED, /* what other modules can use */
	DATA_GLOBAL,   /* that, and what is no static variable */
	DATA_LOCAL,    /* static ones */
};
/* By the name it is linked by, without a version, or its demangled one. */
bool debugfile_find_data(struct debugfile *file, const char *name,
			 enum data_scope scope, struct data_symbol *out);

/* The names, one after the other, of what the file exports at an address and
 * what can be replaced; as variable_exported(). */
char *debugfile_exported_at(struct debugfile *file, uint64_t address,
			    size_t index);

/* Could the debug information have a variable of this plain name, outside of
 * functions? Much quicker than to look for it there. */
bool debugfile_has_data(struct debugfile *file, const char *name);

/* The variable that is there; `type` NULL: it has none, and only its address is
 * of use. */
struct variable *debugfile_variable_at(struct debugfile *file,
				       const struct data_symbol *symbol,
				       struct debugtype *type);

/*
 * Look a name up that is used in no place of this file: its own variables and
 * static ones, `file.c::name`. ERROR_NOT_FOUND: it has none.
 */
struct error *debugfile_find_global(struct debugfile *file, const char *name,
				    struct variable **out);

/* The type of a variable that some unit of the file declares, outside of all
 * functions; NULL: none does. All units are looked through for it. */
struct debugtype *debugfile_declared_type(struct debugfile *file,
					  const char *name);

/* The libraries that the file asks for, by their names, until `visit` returns
 * false. */
void debugfile_each_needed(struct debugfile *file, debugfile_visit_fn *visit,
			   void *context);
/* Where it asks for them to be looked for first: directories with colons
 * between, $ORIGIN as it stands; or NULL. The caller frees it. */
char *debugfile_library_path(struct debugfile *file);

/* Names of the variables that debugfile_find_variable() finds there. */
void debugfile_each_variable(struct debugfile *file, uint64_t address,
			     debugfile_visit_fn *visit, void *context);

/* Of the unit that has the code: what differs between languages is how results
 * of comparisons are typed and how types are written. */
enum debugfile_language {
	LANGUAGE_C, /* and what is not known */
	LANGUAGE_C_PLUS_PLUS,
	LANGUAGE_RUST,
};
enum debugfile_language debugfile_language(struct debugfile *file,
					   uint64_t address);

#endif
