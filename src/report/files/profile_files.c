/*
 * profile_files.c - which format a profile's file has, and the writing of it
 *
 * Each format is a file of this folder. This one chooses among them.
 */
#include "perftool/report/profile_files.h"

#include <fnmatch.h>

#include "perftool/base/path.h"
#include "profile_writers.h"

static const struct {
	const char *word;
	const char *pattern; /* of base names, for fnmatch(3) */
	const char *names;   /* the same, for people */
	bool needs_samples;
} formats[PROFILE_FORMATS] = {
	[PROFILE_GMON] = {"gmon", "gmon.out", "gmon.out", false},
	[PROFILE_CALLGRIND] = {"callgrind", "callgrind.out*", "callgrind.out*",
			       false},
	[PROFILE_FOLDED] = {"folded", "?*.folded", "*.folded", true},
	[PROFILE_SVG] = {"svg", "?*.svg", "*.svg", true},
	[PROFILE_PPROF] = {"pprof", "?*.pb.gz", "*.pb.gz", true},
	[PROFILE_JSON] = {"json", "?*.json", "*.json", false},
};

const char *profile_format_word(unsigned format)
{
	return format < PROFILE_FORMATS ? formats[format].word : NULL;
}

/* Append to an error's message the words, or the names, of all formats. */
static void list_formats(bool words, struct str *out)
{
	for (unsigned i = 0; i < PROFILE_FORMATS; i++) {
		if (i)
			str_append(out,
				   i + 1 < PROFILE_FORMATS ? ", " : " or ");
		str_append(out, words ? formats[i].word : formats[i].names);
	}
}

struct error *profile_format_of_word(const char *word, enum profile_format *out)
{
	struct str list = {0};
	struct error *error;

	for (unsigned i = 0; i < PROFILE_FORMATS; i++) {
		if (str_equal(formats[i].word, word)) {
			*out = (enum profile_format)i;
			return NULL;
		}
	}
	list_formats(true, &list);
	error = error_create(ERROR_USAGE, "`%s' is not a format; use %s", word,
			     str_text(&list));
	str_deinit(&list);
	return error;
}

struct error *profile_format_of_path(const char *path, enum profile_format *out)
{
	const char *name = path_file_name(path);
	struct str list = {0};
	struct error *error;

	for (unsigned i = 0; i < PROFILE_FORMATS; i++) {
		if (fnmatch(formats[i].pattern, name, 0) == 0) {
			*out = (enum profile_format)i;
			return NULL;
		}
	}
	list_formats(false, &list);
	error = error_create(ERROR_USAGE,
			     "the name `%s' does not tell the format of a "
			     "profile; call the file %s, or add format=",
			     name, str_text(&list));
	str_deinit(&list);
	return error;
}

static void write_format(const struct profile *profile,
			 enum profile_format format, struct profile_sink *sink,
			 struct str *remarks)
{
	switch (format) {
	case PROFILE_GMON: /* several files: write_gmon() */
		break;
	case PROFILE_CALLGRIND:
		write_callgrind(profile, sink, remarks);
		break;
	case PROFILE_FOLDED:
		write_folded(profile, sink);
		break;
	case PROFILE_SVG:
		write_flame_graph(profile, sink);
		break;
	case PROFILE_PPROF:
		write_pprof(profile, sink);
		break;
	case PROFILE_JSON:
		write_profile_json(profile, sink);
		break;
	}
}

static struct error *write_one(const struct profile *profile,
			       enum profile_format format, const char *path,
			       const struct writer *writer, struct str *remarks)
{
	struct whole_file file;
	struct profile_sink sink = {.file = &file};
	struct error *error;

	TRY(whole_file_begin(&file, writer, path));
	write_format(profile, format, &sink, remarks);
	error = profile_sink_end(&sink);
	if (!error)
		return whole_file_finish(&file);
	whole_file_give_up(&file);
	return error;
}

struct error *profile_file_write(const struct profile *profile,
				 enum profile_format format, const char *path,
				 const struct writer *writer,
				 struct str *remarks)
{
	if (formats[format].needs_samples && !profile->stacks)
		return error_create(ERROR_USAGE,
				    "%s needs samples, and none were taken; "
				    "`profile on' or `spy on' takes them",
				    formats[format].names);
	if (format == PROFILE_GMON)
		return write_gmon(profile, path, writer, remarks);
	return write_one(profile, format, path, writer, remarks);
}

void profile_json(const struct profile *profile, struct str *out)
{
	struct profile_sink sink = {0};

	write_profile_json(profile, &sink);
	str_append_n(out, str_text(&sink.text), sink.text.length);
	/* (Without a file there is no error.) */
	error_destroy(profile_sink_end(&sink));
}
