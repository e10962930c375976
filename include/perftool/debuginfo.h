/*
 * debuginfo.h - one ELF file: its symbols, lines, variables and frames
 *
 * All addresses in this interface are link-time addresses of the file. The
 * caller knows where the file was loaded and adds the load bias. The reader
 * reads each part of the file when it is first needed, so opening a file takes
 * the same time whatever its size.
 *
 * Debug information and symbols may be in separate files: Debian's -dbg
 * packages, .dwo and .dwp files, or a file that dwz lets several programs
 * share. The reader finds these files and uses their contents as if they were
 * in the file itself.
 *
 * The reader reaches memory and registers of a target only through the
 * callbacks of struct frame_reader. No file, however broken, may crash the
 * reader or make it read outside the file. For such a file a function returns
 * an error (ERROR_BAD_FILE) or finds less.
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
 * Open the file at `path`, which may be any path that can be opened, for
 * example /proc/PID/root/... The caller closes `*out` with debugfile_close().
 * The error is ERROR_BAD_FILE with a reason if the file is not an x86-64 ELF
 * program or library, for example a directory, a script, a 32-bit program or a
 * truncated file.
 */
struct error *debugfile_open(const char *path, struct debugfile **out);

/*
 * Open a file like debugfile_open(), but look for separate debug information
 * in `directories` before the system's directory (/usr/lib/debug). Each
 * directory is laid out like /usr/lib/debug, or has the files side by side.
 * The function copies the names of the directories.
 */
VEC_STRUCT(debug_directories, char *);
struct error *debugfile_open_with(const char *path,
				  const struct debug_directories *directories,
				  struct debugfile **out);
void debugfile_close(struct debugfile *file);

/*
 * Keep the index of the file's debug information in a file of `folder`, and
 * take it from there, if .debug_info has at least `least` bytes. The folder is
 * made when it is needed. What the reader finds does not depend on it. Nothing
 * that is wrong with the folder or its files is an error. NULL: do not.
 */
#define INDEX_CACHE_LEAST (1ULL << 20)
void debugfile_cache_index(struct debugfile *file, const char *folder,
			   uint64_t least);

/* The folder for debugfile_cache_index(): $XDG_CACHE_HOME/perftool, else
 * ~/.cache/perftool; NULL if the environment does not tell where that is. The
 * caller frees the result. */
char *debuginfo_cache_folder(void);

/* Return an error if some part of the file, or of another file with its debug
 * information, could not be read since the last call. The reader has treated
 * such a part as empty. */
struct error *debugfile_check(const struct debugfile *file);

const char *debugfile_path(const struct debugfile *file);

struct debugfile_facts {
	bool position_independent; /* ET_DYN: PIE or library */
	bool is_static;            /* has neither PT_INTERP nor DT_NEEDED */
	bool has_symtab, has_dynsym, has_dwarf;
	/* The run-time linker changes the file's code (DT_TEXTREL). */
	bool has_text_relocations;
	uint64_t entry;
	/* address of the dynamic section; 0: there is none */
	uint64_t dynamic;
	/* the range of addresses from the first PT_LOAD segment to the end of
	 * the last one, extended to whole pages */
	uint64_t low, high;
	const char *soname;      /* DT_SONAME or NULL */
	const char *interpreter; /* PT_INTERP or NULL */
	const char *build_id;    /* in hexadecimal digits, or NULL */
	/* The separate file of debug information that is used, or NULL. */
	const char *debug_path;
	/* A separate file that was found but belongs to another build, or
	 * NULL. */
	const char *debug_mismatch;
};
const struct debugfile_facts *debugfile_facts(const struct debugfile *file);

/*
 * Append one line, without a newline, that says which symbols and debug
 * information the reader has for this file: "debug information (DWARF 5) in
 * /usr/lib/debug/...", "symbols, no debug information; Debian's package
 * libc6-dbg has it", "debug information (DWARF 5), but 2 of 7 .dwo files are
 * missing (first: ...)". The function looks for all separate files first.
 */
void debugfile_describe(struct debugfile *file, struct str *out);

/* Copy bytes of PT_LOAD segments, as they are in the file, from `address` on.
 * The result is the number of bytes that were copied. */
size_t debugfile_read(const struct debugfile *file, uint64_t address,
		      void *buffer, size_t size);

struct range {
	uint64_t low, high; /* [low, high) */
};
VEC_STRUCT(range_list, struct range);

static inline bool range_list_has(const struct range_list *ranges,
				  uint64_t address)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (address >= ranges->data[i].low &&
		    address < ranges->data[i].high)
			return true;
	return false;
}

/* Give one contiguous range of the file's code for each index from 0 on.
 * False: there is no range of this index. */
bool debugfile_code(const struct debugfile *file, size_t index,
		    struct range *out);

/* A PT_LOAD segment that has bytes in the file: the address at which its first
 * page is loaded, and the offset in the file at which that page begins. */
struct loadable {
	uint64_t address, offset;
};
/* Give one such segment for each index from 0 on. False: there is no segment
 * of this index. */
bool debugfile_loadable(const struct debugfile *file, size_t index,
			struct loadable *out);

/* Find the offset in the file of the byte that is loaded at `address`. False:
 * the file has no byte for this address. */
bool debugfile_offset_of_address(const struct debugfile *file, uint64_t address,
				 uint64_t *offset);

/*
 * Find the address at which the byte at this offset of the file is loaded.
 * False: no segment loads this byte. Two segments that meet in one page of the
 * file can both load that page (lld does not pad them apart). The result is
 * then the address in the executable segment, because callers ask about
 * executable mappings.
 */
bool debugfile_address_of_offset(const struct debugfile *file, uint64_t offset,
				 uint64_t *address);

/* ---- functions ----------------------------------------------------------- */

struct function {
	uint64_t address; /* the address of the first instruction */
	uint64_t size;    /* 0: the symbol table does not give a size */
	/* the name that the linker uses, in C++ and Rust a mangled name; owned
	 * by the file */
	const char *name;
	bool indirect; /* STT_GNU_IFUNC: `address` is that of the resolver */
	bool untyped;  /* STT_NOTYPE: a label in assembler code */
	bool local;    /* STB_LOCAL: a static function */
	/* code that the compiler has split off another function, which calls
	 * it: NAME.part.0 */
	bool is_part;
};
VEC_STRUCT(function_list, struct function);

/* Does `function` hold a function, and not only zeros? A function that only
 * .eh_frame describes has a size but no name. */
static inline bool function_is_known(const struct function *function)
{
	return function->name || function->size;
}

/*
 * Append the functions that `pattern` names. The pattern is a linked name, a
 * demangled name, or a glob that is matched against both of them. In a
 * demangled name the pattern may leave out outer scopes, template arguments,
 * parameters and what follows the parameters. Types may be spelled in any way:
 * `unsigned`, `const T &`, typedefs of the program, templates of std without
 * their default arguments.
 *
 * Several names (aliases) of one address are one function. Of the names that
 * match, a global name is preferred, then the shortest. Copies that a compiler
 * made (.constprop, .isra) match the name of their original. In a text such as
 * `f(char*)` the `*` may belong to a type or make the text a glob. The text is
 * tried as a glob only if no function has this name. Symbol versions are
 * ignored. Of the parts that a compiler splits off a function, those that it
 * calls (".part") are functions of their own, which a glob or their own name
 * finds. Those to which the function jumps (".cold") belong to it, and are
 * found only by their own name. It is not an error if no function is found.
 */
struct error *debugfile_find_functions(struct debugfile *file,
				       const char *pattern,
				       struct function_list *out);

/* Is `pattern` a glob by its text alone, without a look at the functions of a
 * file? The signs of pointers, arrays and operators do not make a text a
 * glob. */
bool debuginfo_is_glob(const char *pattern);

/*
 * Find the functions that `name` would match without its parameters and
 * template arguments. The result is the number of full names in `names`, at
 * most `max`; the caller frees each name. The result is 0 if `name` has no
 * parameters and template arguments, or if no function matches without them.
 */
size_t debugfile_overloads(struct debugfile *file, const char *name,
			   char **names, size_t max);

/*
 * Visit the words of the file (for example in the GOT) into which the run-time
 * linker writes the address of a certain function. `visit` gets the address of
 * each word. The function is the one that an indirect function's resolver has
 * chosen, or the one that is linked as `name`. `resolver` is the resolver's
 * address in this file; 0: the resolver is in another file. A word that the
 * run-time linker binds lazily does not hold the function's address before the
 * first call through the word.
 */
typedef bool debugfile_visit_slot_fn(void *context, uint64_t address);
void debugfile_each_slot(struct debugfile *file, uint64_t resolver,
			 const char *name, debugfile_visit_slot_fn *visit,
			 void *context);

/* Symbol versions, as in memcpy@GLIBC_2.2.5. debugfile_has_version(): does the
 * file define a version of this name? debugfile_is_version(): is the function
 * at `address` the function `name` of this version? */
bool debugfile_has_version(struct debugfile *file, const char *version);
bool debugfile_is_version(struct debugfile *file, uint64_t address,
			  const char *name, const char *version);

/*
 * Find the function whose code contains `address`: by symbol, else by DWARF,
 * else by .eh_frame. In the last case its name is NULL. An address in a cold
 * part, which is code that the compiler has moved away from its function,
 * belongs to this function.
 */
bool debugfile_function_at(struct debugfile *file, uint64_t address,
			   struct function *out);
/* Append the functions that have no name, as far as .eh_frame tells where they
 * begin. */
void debugfile_unnamed_functions(struct debugfile *file,
				 struct function_list *out);

/* Append the name of the function, or else of the data object, that contains
 * the byte at `address`, and the offset of the byte in it, as ` <name+4>`.
 * False: neither a function nor an object contains this byte. */
bool debugfile_append_symbol(struct debugfile *file, uint64_t address,
			     struct str *out);

/* Append all code ranges of a function, sorted: the range of its symbol, its
 * cold parts and DW_AT_ranges of its DIE. */
struct error *debugfile_function_ranges(struct debugfile *file,
					const struct function *function,
					struct range_list *out);

/*
 * Read the code of one of the ranges of a function: `*code` is `*size` bytes,
 * which the caller frees, and fewer than the range has if the file has fewer.
 * Error: the range is impossible (ERROR_BAD_FILE). It comes from a symbol of a
 * corrupt file.
 */
struct error *debugfile_function_code(struct debugfile *file,
				      const struct function *function,
				      const struct range *range, uint8_t **code,
				      size_t *size);

VEC_STRUCT(address_list, uint64_t);

/* Append the addresses of the words of the file into which the run-time linker
 * writes the address of a function that `pattern` names, as
 * debugfile_find_functions() understands it; `exact`: of the function that is
 * linked by this very name. The words are those through which
 * the file's own code calls functions, its own and those of other files. */
void debugfile_import_words(struct debugfile *file, const char *pattern,
			    bool exact, struct address_list *out);

/* Append the addresses in these ranges at which an exception may continue, as
 * the tables of landing pads say (LSDA). */
void debugfile_landing_pads(struct debugfile *file,
			    const struct range_list *ranges,
			    struct address_list *out);

/* Append the addresses in these ranges that the run-time linker writes into a
 * word of the loaded file, relocated: functions whose address the program
 * takes, and labels of code. */
void debugfile_taken_addresses(struct debugfile *file,
			       const struct range_list *ranges,
			       struct address_list *out);

/* ---- static probes ------------------------------------------------------- */

/* A static probe that a program has in its code (sys/sdt.h, perftool/mark.h).
 * The file owns the texts. */
struct static_probe {
	const char *provider, *name;
	const char *arguments; /* operands of the assembler; "": none */
	uint64_t address;      /* of the nop, in the file */
	/* The address of a counter of 16 bits, in the file; 0: there is none.
	 * The program passes the probe only while the counter is not 0. */
	uint64_t semaphore;
};
VEC_STRUCT(static_probe_list, struct static_probe);

/* The static probes of the file, in the order of its notes. */
const struct static_probe_list *debugfile_probes(struct debugfile *file);
/* The probe at this address of the file, or NULL. */
const struct static_probe *debugfile_probe_at(struct debugfile *file,
					      uint64_t address);

/* Where an argument of a static probe is. */
enum { PROBE_NAME = 256 }; /* size of a name, with its zero byte */
struct probe_argument {
	enum { PROBE_CONSTANT, PROBE_REGISTER, PROBE_MEMORY } kind;
	uint8_t size; /* bytes: 1, 2, 4 or 8 */
	bool is_signed, is_float;
	/* The constant; or what is added to the address. */
	int64_t number;
	/* The register, or the registers of the address; "": none. The address
	 * is number + symbol + base + index * scale. */
	char base[PROBE_NAME], index[PROBE_NAME];
	uint8_t scale;
	char symbol[PROBE_NAME];
};

/* Parse argument `index`, from 0, of the operands. False: there is no such
 * argument, or it has a form that is not known. */
bool probe_argument_parse(const char *text, unsigned index,
			  struct probe_argument *out);
unsigned probe_argument_count(const char *text);

/* Is the instruction at this address of the file part of a restartable
 * sequence (rseq(2))? The answer comes from the section __rseq_cs, which may
 * not list all sequences. */
bool debugfile_in_sequence(struct debugfile *file, uint64_t address);

/*
 * Append the entry addresses of inlined calls of the functions that `pattern`
 * names, with the source line of each address (`file` is NULL if the line is
 * not known). `pattern` is as in debugfile_find_functions(), except that
 * aliases (other names of the same function) are not considered. If gcc has
 * split a part off a function and inlined the part into the function again,
 * this is not counted as a call. If `no_code` is not NULL, `*no_code` becomes
 * true if the debug information describes such calls but the compiler has left
 * no code of any of them. The first request for a name that is among the file's
 * strings is slow, because it reads all debug information of the file.
 */
struct line_list;
struct error *debugfile_find_inlined(struct debugfile *file,
				     const char *pattern, struct line_list *out,
				     bool *no_code);

/*
 * Read now what debugfile_find_inlined() will need for `pattern`, if it will
 * need anything. A caller that is going to call debugfile_find_inlined() calls
 * this function before it asks the file for anything else. This function keeps
 * the compilation units that have the inlined calls, so the requests after it
 * find them already read.
 */
void debugfile_prepare_inlined(struct debugfile *file, const char *pattern);

/* The demangled name (C++, Rust) for display. The caller frees it. */
char *debuginfo_demangle(const char *name);
/* The same for a function of this file (NULL: it is not known). GNAT's names of
 * Ada do not show that they are of Ada; the file does. */
char *debugfile_demangle(struct debugfile *file, const char *name);
/* The demangled name, with every part that distinguishes it from other names.
 * Rust ends the names of the instances of a generic function in a hash; the
 * hash is part of the result. The caller frees it. */
char *debuginfo_demangle_apart(const char *name);

/* Call `visit` with every function name (demangled, without parameters) that
 * starts with `prefix`, until `visit` returns false. Completion uses this. */
typedef bool debugfile_visit_fn(void *context, const char *name);
void debugfile_each_name(struct debugfile *file, const char *prefix,
			 debugfile_visit_fn *visit, void *context);

/* Find the function names most similar to `name`, best first, at most `max`.
 * The result is their number; the caller frees each name. */
size_t debugfile_near_names(struct debugfile *file, const char *name,
			    char **names, size_t max);

#endif
