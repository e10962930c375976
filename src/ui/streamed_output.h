/*
 * streamed_output.h - where a command without a program writes its report,
 * piece by piece: to standard output, or to the file of -o
 *
 * The report may be larger than the memory. A signal that ends the tool ends
 * the writing, and a file is not replaced then.
 */
#ifndef UI_STREAMED_OUTPUT_H
#define UI_STREAMED_OUTPUT_H

#include "perftool/base/whole_file.h"
#include "perftool/report.h"
#include "ui/terminal/terminal.h"

struct streamed_output {
	const char *path;  /* of -o; NULL or "-": standard output */
	const char *work;  /* what the status line says: "comparing" */
	const char *units; /* what a row of the report is: "legs" */
	struct status *status;
	struct writer writer;
	struct whole_file file;
	bool is_begun;
};

/* Prepares an output, to which nothing was written yet. */
struct streamed_output streamed_output(const char *path, const char *work,
				       const char *units,
				       struct status *status);

/* The output as a sink. Shows how far the work on the report has come, and
 * fails if a signal has come. */
struct report_sink streamed_output_sink(struct streamed_output *output);

/* Creates the temporary file of the output. The first piece does so as well.
 * From then on signals that end the tool are noted, and end the writing. */
struct error *streamed_output_begin(struct streamed_output *output);

/* Writes the rest of the report. A file gets its name then, and another report
 * can be written. */
struct error *streamed_output_finish(struct streamed_output *output,
				     struct str *rest);

/* Removes the temporary file, if there is one. */
void streamed_output_give_up(struct streamed_output *output);

/* Fails if a signal has come. Else shows how far the work has come. */
struct error *streamed_output_tell(struct streamed_output *output, size_t done,
				   size_t rows);

#endif
