/*
 * profile_sink.h - where the text of a profile file goes: it is collected, and
 * given to the file whenever there is much of it
 *
 * The text of 100,000 deep stacks may be larger than the memory that the tool
 * should take.
 */
#ifndef REPORT_PROFILE_SINK_H
#define REPORT_PROFILE_SINK_H

#include "perftool/base/str.h"
#include "perftool/base/whole_file.h"

/* All zero collects all text. */
struct profile_sink {
	struct str text;
	struct whole_file *file; /* NULL: the text is only collected */
	struct error *error;     /* the first error of the file */
};

/* Give the text to the file if there is much of it. Returns false if the file
 * cannot be written, so that more text is not wanted. */
bool profile_sink_pass(struct profile_sink *sink);

/* Give the rest of the text to the file, and free the text. Returns the first
 * error. */
struct error *profile_sink_end(struct profile_sink *sink);

#endif
