/*
 * debug_variables.h - the variables of an ELF file: where they are, and their
 * types
 */
#ifndef PERFTOOL_DEBUGINFO_DEBUG_VARIABLES_H
#define PERFTOOL_DEBUGINFO_DEBUG_VARIABLES_H

#include "perftool/debuginfo.h"
#include "perftool/debuginfo/frame_rules.h"

/*
 * The place and type of a variable. It is found once for an address and read
 * at every hit. The scopes are searched in this order: parameters and locals
 * of the function at `address`, variables of the compilation unit, variables
 * of the file.
 */
struct variable;

/*
 * Look `name` up at `address`. The caller frees `*out` with variable_destroy().
 * `at_entry`: the address is the function's first instruction, so the
 * parameters are where the ABI puts them, not where DWARF says they will be
 * later. If it is not known where the caller passes a parameter, the result is
 * ERROR_EVALUATE, with the advice to use `break FUNC`.
 *
 * A name may have a scope: `ns::name`, `Class::member` (a static member),
 * `::name` (no scope: not a local), `function::name` (a static variable in the
 * function's blocks), `file.c::name` (a static variable of that file). A
 * variable that the debug information only declares (`extern`) is found, too:
 * see variable_declared(). ERROR_NOT_FOUND: there is no such variable.
 */
struct error *debugfile_find_variable(struct debugfile *file, uint64_t address,
				      bool at_entry, const char *name,
				      struct variable **out);

/* Look `name` up as seen from frame number `frame` of
 * debugfile_source_frames(); 0 is the innermost frame. */
struct error *debugfile_find_variable_of(struct debugfile *file,
					 uint64_t address, bool at_entry,
					 unsigned frame, const char *name,
					 struct variable **out);

/*
 * Visit the variables of frame number `frame` alone until `visit` returns
 * false: its parameters in their order, then its locals, those of inner blocks
 * first. For each, `visit` gets the variable, or instead an error that says why
 * the variable is not available. `visit` must free the variable or the error.
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
 * Make a variable for the result of the function at `address`. It can be read
 * when a thread is at one of the function's exits, where the ABI has put the
 * result: in rax (and rdx), xmm0 (and xmm1), st(0), or in memory that rax
 * points to. ERROR_NOT_FOUND: the type of the result is not known, or it is
 * void.
 */
struct error *debugfile_find_return(struct debugfile *file, uint64_t address,
				    struct variable **out);
void variable_destroy(struct variable *variable);

/* The type of the function at `address`; NULL: not known. */
struct debugtype *debugfile_function_type(struct debugfile *file,
					  uint64_t address);

/* The type of the variable's value. For a C++ reference this is the type that
 * it refers to. */
struct debugtype *variable_debugtype(const struct variable *variable);

/*
 * The type of the value as it is now. For an array of variable length, this is
 * a type with the present number of elements; for all others it is
 * variable_debugtype(). These types are kept until the file is closed, so call
 * this function to print a value, not at every hit.
 */
struct debugtype *variable_current_type(const struct variable *variable,
					const struct frame_reader *reader);

/* For a C++ reference, the type of the reference itself; else NULL. */
struct debugtype *variable_reference(const struct variable *variable);

/* Does the variable belong to a function: is it a parameter, a local, or a
 * static variable of a block in the function? */
bool variable_is_local(const struct variable *variable);

/* Change the variable so that reading it, at the address for which it was
 * looked up, uses no registers except rip and rsp, which the tool knows at
 * every stop. False: the variable needs, or might need, other registers. */
bool variable_find_by_sp(struct variable *variable);

/*
 * Read the value of a scalar as VALUE_SIGNED, VALUE_UNSIGNED (also for
 * pointers) or VALUE_FLOAT. If the target of a pointer was optimized into
 * registers, the value is an address in the scratch. ERROR_EVALUATE: the value
 * cannot be read or is optimized out.
 */
struct error *variable_read(const struct variable *variable,
			    const struct frame_reader *reader,
			    struct value *out);

/*
 * Find the address of the variable's value in memory. For a C++ reference, this
 * is the address of what it refers to. If the value is not in memory, the
 * function puts it into the scratch and gives its address there. A value that
 * is only partly optimized out has an address, too, at which its other parts
 * can be read. ERROR_EVALUATE: the value is optimized out, or its place is not
 * known.
 */
struct error *variable_address(const struct variable *variable,
			       const struct frame_reader *reader,
			       uint64_t *out);

/*
 * The place of a variable when a thread is at the address for which it was
 * found, in a form that simple generated code can use. The code can only
 * compute a sum of a register, the file's load bias and a constant. For a C++
 * reference, this is the place that holds the address. A read that follows this
 * description cannot fault, because the memory is in a segment of the file or
 * in a frame that exists.
 */
enum simple_kind {
	/* The sum itself is the value: its bytes, from the lowest on. */
	SIMPLE_VALUE,
	SIMPLE_MEMORY,       /* The sum is the value's address. */
	SIMPLE_THREAD_LOCAL, /* The value is in thread-local storage. */
	SIMPLE_GONE,         /* The value is optimized out. */
	/* The value is in memory that is not, or no longer, part of a frame. */
	SIMPLE_UNSAFE,
	/* No such sum: the value is in pieces, computed, or in a vector
	 * register. */
	SIMPLE_NOT,
};
struct simple_place {
	enum simple_kind kind;
	bool has_register;
	unsigned reg;    /* DWARF number, 0 .. 15 */
	bool is_biased;  /* add the file's load bias */
	uint64_t offset; /* the sum of all constants; it may wrap */
	/* The number of bytes that can be read before the address that is the
	 * sum, and from this address on. */
	uint64_t before, after;
};
void variable_simple_place(const struct variable *variable,
			   struct simple_place *out);

/* ---- variables of other modules ------------------------------------------ */

/* The file that has the variable. Read the variable with the load bias of this
 * file. */
struct debugfile *variable_file(const struct variable *variable);

/*
 * If only a declaration of the variable was found (`extern`, a static member),
 * return the name it is linked by; its type is known. The symbols of the module
 * that defines the variable tell its address. The caller must look there,
 * because this variable itself reads as optimized out. NULL: the variable is
 * not a mere declaration.
 */
const char *variable_declared(const struct variable *variable);

/* Do other files see the variable (external linkage)? */
bool variable_is_external(const struct variable *variable);

/*
 * The name number `index` (from 0) by which a library exports the variable. If
 * the program has a variable of such a name (mostly by a copy relocation), all
 * modules use the program's variable instead. NULL: there are no more names, or
 * another module's variable cannot replace this one. The caller frees the name.
 */
char *variable_exported(const struct variable *variable, size_t index);

/* A data object, described by its symbol. */
struct data_symbol {
	/* if thread-local: the offset in the file's TLS block */
	uint64_t address;
	uint64_t size; /* 0: not known */
	bool is_thread_local;
};
enum data_scope {
	DATA_EXPORTED, /* objects that other modules can use */
	DATA_GLOBAL,   /* these objects, and all others that are not static */
	DATA_LOCAL,    /* static variables */
};
/* Find a data object by its linked name without a version, or by its demangled
 * name. False: there is none. */
bool debugfile_find_data(struct debugfile *file, const char *name,
			 enum data_scope scope, struct data_symbol *out);

/* Like variable_exported(), for the data object at an address: the name number
 * `index` (from 0) by which the file exports the object, among the names that
 * another module's object can replace. */
char *debugfile_exported_at(struct debugfile *file, uint64_t address,
			    size_t index);

/* Could the debug information have a variable of this plain name outside of
 * functions? This takes much less time than looking for the variable in the
 * debug information. */
bool debugfile_has_data(struct debugfile *file, const char *name);

/* Make a variable for the data object of a symbol. If `type` is NULL, the type
 * is unknown, and only the variable's address is of use. The caller frees the
 * variable with variable_destroy(). */
struct variable *debugfile_variable_at(struct debugfile *file,
				       const struct data_symbol *symbol,
				       struct debugtype *type);

/* Look up a name without an address in this file at which it is used. The name
 * may be that of a variable of this file (also of a static one), or
 * `file.c::name`. ERROR_NOT_FOUND: the file has no such variable. */
struct error *debugfile_find_global(struct debugfile *file, const char *name,
				    struct variable **out);

/* The type of a variable that some unit of the file declares outside of all
 * functions; NULL: no unit does. The function looks through all units. */
struct debugtype *debugfile_declared_type(struct debugfile *file,
					  const char *name);

/* Call `visit` with the names of the libraries that the file needs
 * (DT_NEEDED), until `visit` returns false. */
void debugfile_each_needed(struct debugfile *file, debugfile_visit_fn *visit,
			   void *context);
/* The directories in which the run-time linker is to look for those libraries
 * first, separated by colons; $ORIGIN is not replaced. NULL: the file names
 * none. The caller frees the result. */
char *debugfile_library_path(struct debugfile *file);

/* Call `visit` with the names of the variables that debugfile_find_variable()
 * finds at `address`, until `visit` returns false. */
void debugfile_each_variable(struct debugfile *file, uint64_t address,
			     debugfile_visit_fn *visit, void *context);

/* The language of the compilation unit that the code at an address is in.
 * Languages differ in the type of a comparison's result and in how types are
 * written. */
enum debugfile_language {
	LANGUAGE_C, /* also when the language is not known */
	LANGUAGE_C_PLUS_PLUS,
	LANGUAGE_RUST,
};
enum debugfile_language debugfile_language(struct debugfile *file,
					   uint64_t address);

#endif
