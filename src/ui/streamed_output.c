/* streamed_output.c - see streamed_output.h */
#include "streamed_output.h"

#include <stdio.h>
#include <unistd.h>

/* A report of a million legs is written in pieces of this size, bytes. */
#define PIECE 65536

struct streamed_output streamed_output(const char *path, const char *work,
				       const char *units, struct status *status)
{
	bool is_file = path && !str_equal(path, "-");

	return (struct streamed_output){.path = is_file ? path : NULL,
					.work = work,
					.units = units,
					.status = status,
					.writer = ended_writer()};
}

struct error *streamed_output_tell(struct streamed_output *output, size_t done,
				   size_t rows)
{
	if (signals_peek())
		return error_create(ERROR_INTERRUPTED, "%s was interrupted",
				    output->work);
	/* the clock is asked less often */
	if (done % 64 == 1 || done == rows)
		status_work(output->status, output->work, done ? done - 1 : 0,
			    rows, output->units);
	return NULL;
}

struct error *streamed_output_begin(struct streamed_output *output)
{
	signals_install_ends();
	if (output->path)
		TRY(whole_file_begin(&output->file, &output->writer,
				     output->path));
	else
		fflush(stdout);
	output->is_begun = true;
	return NULL;
}

/* Writes the text, and empties it. */
static struct error *write_text(struct streamed_output *output,
				struct str *text)
{
	struct error *error = NULL;
	int failure;

	if (!output->is_begun)
		TRY(streamed_output_begin(output));
	if (output->path) {
		error = whole_file_write(&output->file, str_text(text),
					 text->length);
	} else {
		status_erase(output->status);
		failure = writer_write(&output->writer, STDOUT_FILENO,
				       str_text(text), text->length);
		if (failure)
			error = writer_error(failure, "standard output");
	}
	text->length = 0;
	return error;
}

static struct error *take(void *context, struct str *text, size_t done,
			  size_t rows)
{
	struct streamed_output *output = context;

	if (text->length >= PIECE)
		TRY(write_text(output, text));
	return output->is_begun ? streamed_output_tell(output, done, rows)
				: NULL;
}

struct report_sink streamed_output_sink(struct streamed_output *output)
{
	return (struct report_sink){.take = take, .context = output};
}

struct error *streamed_output_finish(struct streamed_output *output,
				     struct str *rest)
{
	TRY(write_text(output, rest));
	status_erase(output->status);
	output->is_begun = false;
	return output->path ? whole_file_finish(&output->file) : NULL;
}

void streamed_output_give_up(struct streamed_output *output)
{
	status_erase(output->status);
	whole_file_give_up(&output->file);
}
