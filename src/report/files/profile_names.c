/* profile_names.c - see profile_names.h */
#include "profile_names.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/map.h"
#include "perftool/base/utf8.h"

static bool is_printable(uint32_t code)
{
	return code >= 0x20 && (code < 0x7f || code >= 0xa0) &&
	       code != 0x2028 && code != 0x2029 && (code & 0xfffe) != 0xfffe;
}

/* Append the name. `for_blank` and `for_semicolon` take the place of these
 * characters. */
static void write_name(const char *name, char for_blank, char for_semicolon,
		       struct str *out)
{
	size_t start = out->length, length;
	uint32_t code;

	for (; *name; name += length ? length : 1) {
		length = utf8_sequence(name, &code);
		if (!length || !is_printable(code))
			str_append(out, UTF8_REPLACEMENT);
		else if (code == ' ')
			str_append_char(out, for_blank);
		else if (code == ';')
			str_append_char(out, for_semicolon);
		else
			str_append_n(out, name, length);
	}
	if (out->length == start)
		str_append(out, "[unknown]");
}

void clean_name(const char *name, struct str *out)
{
	write_name(name, ' ', ';', out);
}

void folded_name(const char *name, struct str *out)
{
	write_name(name, '_', ':', out);
}

void profile_names_init(struct profile_names *names,
			const struct procedures *procedures,
			void (*write)(const char *name, struct str *out))
{
	static char once, several;
	struct strmap seen = {0};

	names->count = procedures->list.count;
	names->texts = xcalloc(names->count + 1, sizeof(*names->texts));
	for (size_t i = 0; i < names->count; i++) {
		const char *name = procedures->list.data[i].name;

		strmap_set(&seen, name,
			   strmap_get(&seen, name) ? &several : &once);
	}
	for (size_t i = 0; i < names->count; i++) {
		const struct procedure *at = &procedures->list.data[i];
		struct str text = {0};

		write(at->name, &text);
		if (strmap_get(&seen, at->name) == &several && at->module &&
		    *at->module) {
			str_append_char(&text, '@');
			write(at->module, &text);
		}
		names->texts[i] = str_take(&text);
	}
	strmap_deinit(&seen);
}

void profile_names_deinit(struct profile_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->texts[i]);
	free(names->texts);
	*names = (struct profile_names){0};
}

char *thread_name(const struct sampled_thread *thread,
		  void (*write)(const char *name, struct str *out))
{
	CLEANUP(free_pointer) char *number = NULL;
	struct str text = {0};

	if (!thread->name || !*thread->name)
		number = xasprintf("thread %d", (int)thread->tid);
	write(number ? number : thread->name, &text);
	return str_take(&text);
}
