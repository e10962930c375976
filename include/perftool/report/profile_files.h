/*
 * profile_files.h - profiles as files that other tools read
 *
 * The caller describes what was recorded: samples (call stacks with a weight),
 * calls (arcs with a count and a time), or both, and what it knows of the
 * program's modules. doc/FORMATS.md, "Profiles", says what each file has. The
 * layer borrows all that is described until the call returns.
 */
#ifndef PERFTOOL_REPORT_PROFILE_FILES_H
#define PERFTOOL_REPORT_PROFILE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/base/writer.h"
#include "perftool/profile/call_arcs.h"
#include "perftool/profile/call_stacks.h"
#include "perftool/report.h"

enum profile_format {
	PROFILE_GMON,      /* gmon.out, and gmon.MODULE.out of libraries */
	PROFILE_CALLGRIND, /* callgrind.out* */
	PROFILE_FOLDED,    /* *.folded */
	PROFILE_SVG,       /* *.svg */
	PROFILE_PPROF,     /* *.pb.gz */
	PROFILE_JSON,      /* *.json */
};
#define PROFILE_FORMATS 6

/* The word for `format=`: gmon, callgrind, folded, svg, pprof or json; NULL
 * from PROFILE_FORMATS on. */
const char *profile_format_word(unsigned format);

/* Find the format of a word for `format=`. The error lists the words. */
struct error *profile_format_of_word(const char *word,
				     enum profile_format *out);

/* Find the format of a file by its base name. The error of a name that says
 * none (ERROR_USAGE) lists the names that do. */
struct error *profile_format_of_path(const char *path,
				     enum profile_format *out);

/* The program's file or a library. Addresses are those of the file. */
struct profile_module {
	const char *name;     /* as in struct procedure */
	const char *path;     /* absolute; NULL: not known */
	const char *build_id; /* hexadecimal digits; NULL: not known */
	/* as `site_module` in struct call_arc; 0: no arc names it */
	uint32_t number;
	bool is_program;
	/* where its executable segments begin and end, and the offset in the
	 * file of the first; all 0: not known */
	uint64_t code_begin, code_end, code_offset;
	/* where the program begins to execute (e_entry); 0: not known. gprof
	 * knows no caller outside of the file, so it is shown this one; in a
	 * library, the function at `code_begin`, which is _init. */
	uint64_t entry;
};

/* What was measured. */
struct profile_measurement {
	const char *kind; /* "spy" or "profile" */
	/* what made a sample: "cpu", "pagefaults", "allocations", "words",
	 * "spaces" or "breaks"; NULL: nothing did */
	const char *watch;
	double rate;      /* ticks a second; 0: samples are not ticks */
	uint64_t elapsed; /* ns for which it was on */
	uint64_t began;   /* ns since 1970; 0: not known */
	uint64_t ticks, missed, lost, broken;
};

struct profile {
	struct profile_measurement measurement;
	/* the program and the clock, for JSON; NULL: not known */
	const struct tables *tables;
	const struct call_stacks *stacks; /* NULL: samples were not taken */
	const struct call_arcs *arcs;     /* NULL: calls were not counted */
	/* the procedures of `arcs`; may be those of `stacks` */
	const struct procedures *arc_procedures;
	const struct profile_module *modules;
	size_t module_count;
	/* Find the line of an address of a module (as in struct call_arc), for
	 * the lines of call sites. Returns false if it is not known. `*file` is
	 * borrowed until the next call. May be NULL. */
	bool (*find_line)(void *context, uint32_t module, uint64_t address,
			  const char **file, uint32_t *line);
	/* Find where the function begins that has an address of a module, for
	 * the functions of call sites. Returns 0 if it is not known. May be
	 * NULL. */
	uint64_t (*find_function)(void *context, uint32_t module,
				  uint64_t address);
	void *context;
};

/*
 * Write the profile to a file; gmon also to files beside it, for libraries. All
 * of a file is written or nothing (perftool/base/whole_file.h). Sentences on
 * what the format cannot say of this profile are appended to `remarks`, each a
 * line. It is an error if the format needs samples and none were taken.
 */
struct error *profile_file_write(const struct profile *profile,
				 enum profile_format format, const char *path,
				 const struct writer *writer,
				 struct str *remarks);

/* Append what a file in the format PROFILE_JSON has. */
void profile_json(const struct profile *profile, struct str *out);

#endif
