/*
 * timed_set.c - see timed_set.h
 */
#include "timed_set.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/session/measurements.h"

struct timed_entry {
	/* its nodes and its leg, if it ever had any */
	struct timed_function made;
	bool is_made;
	/* how many details and agents want it; 0: they are out of the program
	 */
	unsigned uses;
};

void timed_set_deinit(struct timed_set *set)
{
	struct timed_entry *entry;
	const char *key;
	size_t cursor = 0;

	while ((entry = strmap_next(&set->entries, &cursor, &key)))
		free(entry);
	strmap_deinit(&set->entries);
}

/* Returns the entry of this location, and makes it if there is none. */
static struct timed_entry *entry_of(struct timed_set *set, const char *location)
{
	struct timed_entry *entry = strmap_get(&set->entries, location);

	if (!entry) {
		entry = xcalloc(1, sizeof(*entry));
		strmap_set(&set->entries, location, entry);
	}
	return entry;
}

const struct timed_function *timed_set_find(const struct timed_set *set,
					    const char *location)
{
	const struct timed_entry *entry = strmap_get(&set->entries, location);

	return entry && entry->uses ? &entry->made : NULL;
}

/* Makes the nodes and the leg of a function. */
static struct error *make(struct session *session, const char *location,
			  struct timed_function *out)
{
	struct timed_function_list made = {0};
	const struct time_request request = {
		.patterns = &location, .count = 1, .made = &made};
	struct str said = {0};
	struct error *error = session_time(session, &request, &said);

	/* A name that looks like a glob may mean several functions. */
	if (!error && made.count != 1) {
		error_destroy(session_untime(session, made.data, made.count));
		error = error_create(ERROR_OTHER,
				     "%s is the name of %zu functions",
				     location, made.count);
	}
	if (!error)
		*out = made.data[0];
	vec_free(&made);
	str_deinit(&said);
	return error;
}

/* Puts those of the functions back into the program that were in it before. */
static struct error *put_back(struct timed_set *set, struct session *session,
			      const struct string_list *locations)
{
	struct timed_function_list back = {0};
	struct error *error;

	for (size_t i = 0; i < locations->count; i++) {
		struct timed_entry *entry = entry_of(set, locations->data[i]);

		if (!entry->uses && entry->is_made &&
		    session_is_complete(session, &entry->made))
			vec_push(&back, entry->made);
	}
	error = session_put_back(session, back.data, back.count);
	vec_free(&back);
	return error;
}

/* Makes the nodes and the leg of a function, if put_back() has not. */
static struct error *make_missing(struct session *session, const char *location,
				  struct timed_entry *entry)
{
	struct error *error;

	if (entry->is_made && session_is_complete(session, &entry->made))
		return NULL;
	/* The user may have deleted a part of it. */
	if (entry->is_made)
		error_destroy(session_untime(session, &entry->made, 1));
	error = make(session, location, &entry->made);
	entry->is_made = !error;
	return error_first(error, session_relent(session));
}

struct error *timed_set_add(struct timed_set *set, struct session *session,
			    struct string_list *locations)
{
	struct error *first = put_back(set, session, locations);
	size_t kept = 0;

	for (size_t i = 0; i < locations->count; i++) {
		char *location = locations->data[i];
		struct timed_entry *entry = entry_of(set, location);
		struct error *error = NULL;

		if (!entry->uses)
			error = make_missing(session, location, entry);
		if (error) {
			first = error_first(first, error);
			free(location);
			continue;
		}
		entry->uses++;
		locations->data[kept++] = location;
	}
	locations->count = kept;
	if (!kept)
		return first;
	error_destroy(first);
	return NULL;
}

/* Removes from `list` what `locations` has already. */
static void drop_known(const struct string_list *locations,
		       struct string_list *list)
{
	struct strmap known = {0};
	size_t kept = 0;

	for (size_t i = 0; list->count && i < locations->count; i++)
		strmap_set(&known, locations->data[i], locations->data[i]);
	for (size_t i = 0; i < list->count; i++) {
		if (strmap_get(&known, list->data[i]))
			free(list->data[i]);
		else
			list->data[kept++] = list->data[i];
	}
	list->count = kept;
	strmap_deinit(&known);
}

struct error *timed_set_extend(struct timed_set *set, struct session *session,
			       struct string_list *fresh,
			       struct string_list *locations)
{
	struct error *error;

	drop_known(locations, fresh);
	error = timed_set_add(set, session, fresh);
	for (size_t i = 0; i < fresh->count; i++)
		vec_push(locations, fresh->data[i]);
	vec_free(fresh);
	return error;
}

void timed_set_remove(struct timed_set *set, struct session *session,
		      const struct string_list *locations, bool keeps)
{
	struct timed_function_list gone = {0};

	for (size_t i = 0; i < locations->count; i++) {
		struct timed_entry *entry = entry_of(set, locations->data[i]);

		if (!entry->uses || --entry->uses)
			continue;
		entry->is_made = keeps;
		vec_push(&gone, entry->made);
	}
	error_destroy((keeps ? session_take_out
			     : session_untime)(session, gone.data, gone.count));
	vec_free(&gone);
}
