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
#define INDEX_CACHE_LEAST (16ULL << 20)
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
 * ignored. The parts that a compiler splits off a function (".cold", ".part")
 * are not functions of their own unless the pattern names them exactly. It is
 * not an error if no function is found.
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

/* ---- lines --------------------------------------------------------------- */

/* Find the address after the function's prologue that gdb's `break FUNC` would
 * choose: by the line table, else by decoding the instructions. */
struct error *debugfile_skip_prologue(struct debugfile *file,
				      const struct function *function,
				      uint64_t *address);

struct line_place {
	uint64_t address;
	/* the line that has the code; it may be after the line that the caller
	 * asked for */
	uint32_t line;
	const char *file; /* owned by the debugfile */
	/* set by debugfile_find_inlined(): the number of the source frame at
	 * `address` that belongs to the inlined call; 0 is the innermost
	 * frame */
	unsigned frame;
};
VEC_STRUCT(line_list, struct line_place);

/*
 * Append the addresses of FILE:LINE. As in gdb, this is the lowest is_stmt
 * address of the line in each block that has code of the line. A block is a
 * function, an inlined copy, or a lexical block in it that declares something.
 * If the line has no code, the function takes the next line that has code.
 * `name` is compared with the end of each source file's path, by whole
 * components. It is not an error if nothing is found.
 */
struct error *debugfile_find_line(struct debugfile *file, const char *name,
				  uint32_t line, struct line_list *out);

/* Is `wanted` the end of `path`, compared by whole components? "./" is
 * ignored. */
bool debugfile_path_matches(const char *path, const char *wanted);

/* Find the source line of an address. If the line table has rows of several
 * source files for this address, the function takes the row of the file in
 * which the function or inlined call at the address is written. */
bool debugfile_source_at(struct debugfile *file, uint64_t address,
			 const char **path, uint32_t *line);

/* Find the source file and line where the function at `address` is declared.
 * For a C++ method that is defined outside its class, find where it is defined.
 * False: not known. */
bool debugfile_written_at(struct debugfile *file, uint64_t address,
			  const char **path, uint32_t *line);

/*
 * Find the source file and line of a function's first instruction. If this
 * instruction was inlined from another source file, the result is the first
 * line in the function's code that is of the function's own file, or else the
 * line of its declaration. False: not known.
 */
bool debugfile_opening(struct debugfile *file, const struct function *function,
		       const char **path, uint32_t *line);

/*
 * Is the function at `address` written in the source file `source` (a file
 * name as in debugfile_find_line())? If `inlined` is not NULL, the question is
 * about a call of the function of this name that was inlined at `address`.
 * Without debug information of the function, the file of the address's line is
 * compared.
 */
bool debugfile_is_written_in(struct debugfile *file, uint64_t address,
			     const char *inlined, const char *source);

/* A source frame: one active call of a function, as the source shows it. One
 * frame on the stack is several source frames if calls were inlined into the
 * function. */
struct source_frame {
	char *name;     /* the function's name for display; NULL: not known */
	char *function; /* the name without parameters, or NULL */
	/* the source file and line that the frame is executing; NULL: not
	 * known */
	const char *file;
	uint32_t line;
	/* where the function is declared; NULL: not known */
	const char *written_file;
	uint32_t written_line;
	bool inlined; /* the next frame of the list is its caller */
};
VEC_STRUCT(source_frame_list, struct source_frame);

/*
 * Append the source frames of `address`: the inlined calls there, innermost
 * first, and last the function itself. There is always at least one frame.
 * Frames are counted from 0, the innermost. Frames before number `first` are
 * left out. The line of frame `first` is then the line in which it calls frame
 * `first` - 1.
 */
void debugfile_source_frames(struct debugfile *file, uint64_t address,
			     unsigned first, struct source_frame_list *out);

/*
 * The number of inlined calls whose first instruction is at `address`. A thread
 * that stops there can be shown as inside these calls already, or as about to
 * make them. At a stop gdb shows the calls as not made yet, except calls of the
 * functions that the breakpoint is about.
 */
unsigned debugfile_frames_begun(struct debugfile *file, uint64_t address);

/* Find the number of the source frame at `address` that is executing this line.
 * If an inlined call begins at `address` and is made in this line, the result
 * is the frame that makes the call. Else it is 0, the innermost frame. */
unsigned debugfile_frame_of_line(struct debugfile *file, uint64_t address,
				 const char *path, uint32_t line);
void source_frames_clear(struct source_frame_list *frames);

/* A statement begins at the address. */
struct statement {
	uint64_t address;
	uint32_t line;
};

/* The statements of a function, in the order of their addresses; those of one
 * address are in the order of the source. */
struct statement_list {
	VEC(struct statement) list;
	/* Has the compiler marked the instructions at which statements begin
	 * (is_stmt)? If not, a "statement" begins wherever the line changes. */
	bool are_marked;
	/* the source file of the function, owned by the debugfile, and the
	 * first and the last line that may be its own; NULL: not known */
	const char *path;
	uint32_t first, last;
};

/*
 * List the statements that the line table has for a function's code, as far as
 * they are written in the function: statements of inlined calls are left out.
 * `*out` is empty if the file has no line table for the function. The caller
 * frees `list`.
 */
struct error *debugfile_statements(struct debugfile *file,
				   const struct function *function,
				   struct statement_list *out);
/* The number of statements that begin at an address; `*first` is the first of
 * them. */
size_t statements_at(const struct statement_list *statements, uint64_t address,
		     const struct statement **first);

/* Call `visit` with every source file that has line information, until `visit`
 * returns false. */
void debugfile_each_source(struct debugfile *file, debugfile_visit_fn *visit,
			   void *context);

/* ---- frames -------------------------------------------------------------- */

/* How to compute the CFA (the value that the stack pointer had before the call
 * that made the frame) at an instruction: a register plus an offset. */
struct cfa_rule {
	unsigned reg; /* DWARF number: 7 is rsp, 6 is rbp */
	int64_t offset;
};

/* Read the rule for the CFA at `address` from .eh_frame or .debug_frame. False:
 * there is no rule, or the rule is an expression. */
bool debugfile_cfa_rule(struct debugfile *file, uint64_t address,
			struct cfa_rule *out);

/*
 * Room for values that are not in the target's memory as a whole: in
 * registers, in pieces, or known without being stored. The reader puts such a
 * value together in the scratch and gives it an address that no program can
 * have, because it is not canonical. frame_read() can then read members of the
 * value, and what points to it, like everything else.
 */
#define SCRATCH_BASE 0x8000000000000000ULL
#define SCRATCH_SIZE 4096
struct scratch {
	size_t used;
	/* one bit for each byte in use; 1: the byte is optimized out */
	uint8_t missing[SCRATCH_SIZE / 8];
	uint8_t bytes[SCRATCH_SIZE];
};

/* Is this the address of a value in a scratch? Such a value has no address in
 * the program. */
static inline bool scratch_has(uint64_t address)
{
	return address - SCRATCH_BASE < SCRATCH_SIZE;
}

/* How the reader reaches a target's memory and registers. `bias` is the load
 * bias of the file: run-time address = file address + bias. */
struct frame_reader {
	bool (*read)(void *context, uint64_t address, void *buffer,
		     size_t size);
	void *context;
	const struct user_regs_struct *regs; /* rip is a run-time address */
	/* Read the thread's x87 and vector registers. NULL, or a false result:
	 * they are not available. The reader calls this only if a value is in
	 * one of them. */
	bool (*read_vectors)(void *context, struct user_fpregs_struct *out);
	uint64_t bias;
	/* NULL: a value that needs the scratch is ERROR_EVALUATE. The caller
	 * sets `used` to 0 and keeps the bytes as long as addresses in the
	 * scratch are used. */
	struct scratch *scratch;
};

/* Read the target's memory, or the scratch. False: the memory cannot be read,
 * or some of these bytes in the scratch are optimized out. */
bool frame_read(const struct frame_reader *reader, uint64_t address,
		void *buffer, size_t size);

/* Is there call frame information for the code at `address`? */
bool debugfile_has_frame(struct debugfile *file, uint64_t address);
/* The range of code around an address for which the same entry of call frame
 * information is: a function, or a part of one. False: there is none. */
bool debugfile_frame_range(struct debugfile *file, uint64_t address,
			   struct range *out);

/* Has the function that contains `address` landing pads? A landing pad is code
 * that catches an exception, or that cleans up when an exception leaves the
 * function. */
bool debugfile_has_pads(struct debugfile *file, uint64_t address);

/* Is the code at `address` what a signal handler returns to? The caller's pc
 * is then the address where the signal arrived, and not a return address. */
bool debugfile_is_signal_frame(struct debugfile *file, uint64_t address);

/*
 * Compute the caller's registers, as far as the call frame information at the
 * pc tells how to recover them. `regs->rip` becomes the return address. For
 * the next frame, and for names and lines, use return address - 1, because a
 * call that never returns may be the last instruction of a function.
 * ERROR_NOT_FOUND: there is no information, or this is the outermost frame.
 * ERROR_EVALUATE: memory that is needed cannot be read.
 */
struct error *debugfile_unwind(struct debugfile *file,
			       const struct frame_reader *reader,
			       struct user_regs_struct *caller);

/*
 * What the call frame information at one address says, in a form that can be
 * kept and applied quickly. Most rows are UNWIND_PLAIN: the CFA is a register
 * plus an offset, and the caller's values are saved at offsets from the CFA.
 */
enum unwind_kind {
	UNWIND_NONE, /* there is no usable information for this address */
	UNWIND_END,  /* the frame is the outermost one */
	UNWIND_PLAIN,
	/* only debugfile_unwind() can apply the rules */
	UNWIND_FULL,
};

/* The registers that functions preserve, by DWARF number: rbx, rbp, r12 to
 * r15. */
#define UNWIND_REGISTERS 6
extern const uint8_t unwind_registers[UNWIND_REGISTERS];

/* The value of `saved[i]` if the caller has the same value in the register. */
#define UNWIND_SAME INT32_MAX

struct unwind_row {
	uint8_t kind; /* enum unwind_kind */
	/* the caller's pc is exact and not a return address */
	bool is_signal_frame;
	uint8_t cfa_register; /* DWARF number */
	int32_t cfa_offset;
	int32_t return_offset; /* from the CFA to the return address */
	/* from the CFA to where the value of register i of `unwind_registers`
	 * is saved, or UNWIND_SAME */
	int32_t saved[UNWIND_REGISTERS];
};

/* Read the row at `address`, which need not have one. A CFA that is an
 * expression makes a plain row, too, if its value is always the same distance
 * from rsp or rbp (as in a procedure linkage table). */
void debugfile_unwind_row(struct debugfile *file, uint64_t address,
			  struct unwind_row *out);

/* ---- Go ------------------------------------------------------------------ */

/* What the tool needs to find the goroutine that a thread of a Go program
 * executes. The address of the goroutine's descriptor is in a thread-local
 * variable. The variable is 0 in a thread that the Go runtime does not know. */
struct go_runtime {
	/* the code that Go compiled, as addresses of the file */
	struct range code;
	bool has_slot; /* the variable's offset is known: `slot` */
	/* the variable's offset from the thread pointer (the fs base) */
	int32_t slot;
	/* offset, in the descriptor, of the upper end of the goroutine's stack
	 * (stack.hi), from which the stack grows downwards */
	uint32_t stack_top;
	/* offset, in the descriptor, of the goroutine's number; 0: not known.
	 * In the descriptors for the stacks of the runtime's own threads, the
	 * number is 0. */
	uint32_t goid;
	/* offsets, in the descriptor, of the address of its thread's descriptor
	 * (m), and of the stack pointer, the pc and the frame pointer that the
	 * goroutine has when it is left (sched) */
	uint32_t thread, left_sp, left_pc, left_bp;
	/* offset, in a thread's descriptor, of the address of the goroutine
	 * that it executes (curg); 0: not known. The descriptor begins with the
	 * address of the one for the thread's own stack (g0). */
	uint32_t running;
};

/* What is known of the Go runtime. NULL: the file is not a Go program, because
 * it has no build information of Go or is a library. The file owns the
 * result. */
const struct go_runtime *debugfile_go(struct debugfile *file);
/* Is the thread-local variable with the goroutine's descriptor valid whenever
 * the code at this address is executed? It is not yet valid in the code that
 * starts the Go runtime. */
bool debugfile_go_has_begun(struct debugfile *file, uint64_t address);
/* Is the file a Go program, and was the code at this address compiled by Go? */
bool debugfile_is_go_code(struct debugfile *file, uint64_t address);

/* The functions of the Go runtime in which a thread changes from one stack to
 * another, or in which a stack begins. */
enum go_stack_role {
	GO_SAME_STACK, /* all others */
	GO_OUTERMOST,  /* the outermost function of a stack */
	/* These have left the goroutine's stack for the thread's own stack, */
	GO_SYSTEMSTACK, /* to execute a function there, */
	GO_MORESTACK,   /* to copy the goroutine's stack, */
	GO_CGOCALL,     /* or to execute C code, */
	/* and this one has left C code for the goroutine's stack. */
	GO_CALLBACK,
};

/* The role of the function at this address, by its name. */
enum go_stack_role debugfile_go_role(struct debugfile *file, uint64_t address);

/*
 * The address at which a call of the function begins. This is its first
 * instruction, except in Go, where it is the instruction behind the check for
 * room on the stack. If the check finds no room, the stack grows or another
 * goroutine runs, and then the function begins again from its first
 * instruction. The registers that pass arguments and the stack pointer are the
 * same at both addresses.
 */
uint64_t debugfile_go_begins(struct debugfile *file,
			     const struct function *function);

/* ---- variables ----------------------------------------------------------- */

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
