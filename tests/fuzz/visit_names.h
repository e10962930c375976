/*
 * visit_names.h - text as a function's name, and as what is asked for
 *
 * The input is two lines: a name as it might be linked, and a pattern.
 */
#ifndef VISIT_NAMES_H
#define VISIT_NAMES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "debuginfo/symbols/symbols.h"
#include "debuginfo/types/spelling.h"

static inline void visit_names(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 1), *asked;
	struct pattern pattern;

	if (!name)
		abort();
	memcpy(name, data, size);
	name[size] = '\0';
	asked = strchr(name, '\n');
	if (asked)
		*asked++ = '\0';
	else
		asked = name + strlen(name);
	pattern_init(&pattern, asked);
	pattern_matches_linked(&pattern, name);
	if (is_mangled(name))
		pattern_matches_mangled(&pattern, name);
	free(debuginfo_demangle(name));
	pattern_deinit(&pattern);
	pattern_init_glob(&pattern, asked);
	if (is_mangled(name))
		pattern_matches_mangled(&pattern, name);
	pattern_deinit(&pattern);
	free(signature_of_type(asked));
	free(last_name(asked));
	for (int how = 0; how < SPELLING_COUNT; how++)
		free(spell(asked, (enum spelling)how));
	free(name);
}

#endif
