/* profile_sink.c - see profile_sink.h */
#include "profile_sink.h"

#define MUCH 262144 /* bytes */

static void give(struct profile_sink *sink)
{
	if (!sink->error)
		sink->error = whole_file_write(
			sink->file, str_text(&sink->text), sink->text.length);
	sink->text.length = 0;
}

bool profile_sink_pass(struct profile_sink *sink)
{
	if (sink->file && sink->text.length >= MUCH)
		give(sink);
	return !sink->error;
}

struct error *profile_sink_end(struct profile_sink *sink)
{
	struct error *error;

	if (sink->file)
		give(sink);
	str_deinit(&sink->text);
	error = sink->error;
	sink->error = NULL;
	return error;
}
