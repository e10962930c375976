/*
 * code_lines.h - the lines of an ELF file and the code that belongs to them
 */
#ifndef PERFTOOL_DEBUGINFO_CODE_LINES_H
#define PERFTOOL_DEBUGINFO_CODE_LINES_H

#include "perftool/debuginfo.h"

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

#endif
