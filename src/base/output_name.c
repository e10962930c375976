/* output_name.c - see output_name.h */
#include "perftool/base/output_name.h"

#include <inttypes.h>
#include <string.h>

#include "perftool/base/rank.h"
#include "perftool/base/str.h"

bool output_name_has_pid(const char *name)
{
	while ((name = strchr(name, '%'))) {
		if (name[1] == 'p')
			return true;
		name += name[1] ? 2 : 1;
	}
	return false;
}

static struct error *unknown_pid(const char *name)
{
	return error_create(ERROR_USAGE,
			    "%s: `%%p' is the number of the measured process, "
			    "and there was none yet; give this command after "
			    "the one that starts the program, or use `%%r' "
			    "(the rank) or `%%h' (the machine)",
			    name);
}

static struct error *unknown_rank(const char *name)
{
	struct str variables = {0};
	struct error *error;

	for (size_t i = 0; rank_variable(i); i++)
		str_printf(&variables, "%s%s", i ? ", " : "", rank_variable(i));
	error = error_create(
		ERROR_USAGE,
		"%s: `%%r' is the rank that mpirun or srun gives to each "
		"process, and there is none here (no variable %s); start "
		"perftool by such a launcher, or use `%%p' (the process) or "
		"`%%h' (the machine)",
		name, str_text(&variables));
	str_deinit(&variables);
	return error;
}

/* Appends the part of the name that the letter stands for. */
static struct error *append_part(const char *name, char letter,
				 const struct name_parts *parts,
				 struct str *out)
{
	switch (letter) {
	case '%':
		str_append_char(out, '%');
		return NULL;
	case 'p':
		if (!parts->pid)
			return unknown_pid(name);
		str_printf(out, "%d", (int)parts->pid);
		return NULL;
	case 'h':
		if (!parts->host)
			return error_create(ERROR_OTHER,
					    "%s: `%%h' is the name of the "
					    "machine, and uname(2) tells none",
					    name);
		for (const char *at = parts->host; *at; at++)
			str_append_char(out, *at == '/' ? '_' : *at);
		return NULL;
	case 'r':
		if (parts->rank == RANK_NONE)
			return unknown_rank(name);
		str_printf(out, "%" PRId64, parts->rank);
		return NULL;
	default:
		return error_create(
			ERROR_USAGE,
			"%s: `%%%.*s' stands for nothing; there are %%p (the "
			"number of the process), %%h (the machine), %%r (the "
			"rank), and %%%% (a percent sign)",
			name, letter ? 1 : 0, &letter);
	}
}

struct error *output_name_expand(const char *name,
				 const struct name_parts *parts, char **out)
{
	struct str expanded = {0};

	for (const char *at = name; *at; at++) {
		struct error *error;

		if (*at != '%') {
			str_append_char(&expanded, *at);
			continue;
		}
		error = append_part(name, *++at, parts, &expanded);
		if (error) {
			str_deinit(&expanded);
			return error;
		}
	}
	str_append(&expanded, "");
	*out = str_take(&expanded);
	return NULL;
}
