/* die_signature.c - see die_signature.h */
#include "die_signature.h"

#include <string.h>

#include "debuginfo/scopes/scopes.h"
#include "debuginfo/types/types.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/* The most references from a copy to its original that are followed. In a
 * broken file they may form a circle. */
#define MAX_HOPS 16

bool qualified_may_match(const struct pattern *pattern, const char *name)
{
	const struct signature *wanted = &pattern->wanted;
	const struct name_part *last;
	size_t length = strcspn(name, "<");

	if (!wanted->parts.count)
		return false;
	last = &wanted->parts.data[wanted->parts.count - 1];
	return (wanted->parts.count > 1 || last->parameters.length ||
		name[length]) &&
	       last->word.length == length &&
	       memcmp(wanted->text.data + last->word.begin, name, length) == 0;
}

static void append_parameters(struct debugfile *file, const struct die *die,
			      struct str *out)
{
	const char *separator = "";
	struct attribute artificial;
	struct die_walk walk;
	struct die type;

	str_append_char(out, '(');
	die_walk_init(&walk, file, die);
	while (die_walk_next(&walk)) {
		die_walk_skip(&walk);
		if (die_tag(&walk.die) == DW_TAG_unspecified_parameters) {
			str_printf(out, "%s...", separator);
		} else if (die_tag(&walk.die) == DW_TAG_formal_parameter &&
			   !die_inherited(file, &walk.die, DW_AT_artificial,
					  &artificial)) {
			bool known = type_next(file, &walk.die, &type);
			CLEANUP(free_pointer)
			char *name =
				type_name_at(file, known ? &type : NULL, "");

			str_printf(out, "%s%s", separator, name);
			separator = ", ";
		}
	}
	str_append_char(out, ')');
}

bool qualified_matches(struct debugfile *file, const struct die *die,
		       const struct pattern *pattern)
{
	struct die origin = *die, next;
	struct signature found = {0};
	struct str text = {0};
	const char *name;
	bool matches;

	for (int hops = 0;
	     hops < MAX_HOPS &&
	     die_reference(file, &origin, DW_AT_abstract_origin, &next);
	     hops++)
		origin = next;
	name = die_name(file, &origin);
	if (!name || !unit_is_c_plus_plus(origin.unit))
		return false;
	append_scopes(file, &origin, &text);
	str_append(&text, name);
	append_parameters(file, &origin, &text);
	signature_read(&found, str_text(&text));
	matches = signature_matches(&pattern->wanted, &found);
	signature_deinit(&found);
	str_deinit(&text);
	return matches;
}

bool qualified_matches_call(struct debugfile *file, uint64_t address,
			    const char *name, const struct pattern *pattern)
{
	struct unit *unit = unit_at(file, address);
	const struct scopes *scopes = unit ? unit_scopes(file, unit) : NULL;
	uint32_t index = scopes ? scopes_at(scopes, address) : NO_SCOPE;

	for (; index != NO_SCOPE && scopes->list.data[index].inlined;
	     index = scopes->list.data[index].parent) {
		const char *called;
		struct die die;

		if (!die_read(file, unit, scopes->list.data[index].die, &die) ||
		    !die.abbrev)
			break;
		called = die_linkage_name(file, &die);
		if (called && str_equal(called, name))
			return qualified_matches(file, &die, pattern);
	}
	return false;
}
