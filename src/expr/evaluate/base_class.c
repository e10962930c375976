/*
 * base_class.c - the search for base classes; see base_class.h
 */
#include "base_class.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/str.h"
#include "perftool/debuginfo/frame_rules.h"

/*
 * How many classes one search visits. A broken file may nest classes without
 * end.
 */
#define MAX_LOOKS 10000

/* One result of a search: a class that matches, and where it is. */
struct subobject {
	struct base_path path;
	struct debugmember member;
	struct debugtype
		*shared; /* the last virtual base on the path; NULL: none */
	/* the offset from `shared` or, if that is NULL, from the class in which
	 * the search began */
	uint64_t offset;
};

struct search {
	bool (*matches)(const struct search *search, struct debugtype *class,
			struct debugmember *member);
	struct debugtype *base;
	const char *name;
	size_t length;
	struct base_path path; /* the path to the class that is visited */
	unsigned left;
	VEC(struct subobject) found;
};

static bool is_base(const struct search *search, struct debugtype *class,
		    struct debugmember *member)
{
	(void)member;
	return debugtype_is_same(class, search->base);
}

/* Is the class the one that `scope::` before the name of a member means? */
static bool is_called(const struct search *search, struct debugtype *class,
		      struct debugmember *member)
{
	const char *name = debugtype_name(debugtype_plain(class));
	size_t whole = strlen(name), length = search->length;

	(void)member;
	return whole >= length &&
	       memcmp(name + whole - length, search->name, length) == 0 &&
	       (whole == length || name[whole - length - 1] == ':');
}

/*
 * Has the class a member of this name itself, or in a structure without a name
 * that it contains?
 */
static bool has_member(const struct search *search, struct debugtype *class,
		       struct debugmember *member)
{
	const struct debugmember *members;
	size_t count;

	members = debugtype_members(class, &count);
	for (size_t i = 0; i < count; i++) {
		if (members[i].name && str_equal(members[i].name, search->name))
			*member = members[i];
		else if (!members[i].name && !members[i].is_base &&
			 debugtype_find_member(members[i].type, search->name,
					       member))
			member->offset += members[i].offset;
		else
			continue;
		return true;
	}
	return false;
}

static void note(struct search *search, struct debugtype *class,
		 const struct debugmember *member, struct debugtype *shared,
		 uint64_t offset)
{
	struct subobject one = {.path = search->path,
				.member = *member,
				.shared = shared,
				.offset = offset};

	for (size_t i = 0; i < search->found.count; i++) {
		const struct subobject *other = &search->found.data[i];

		if (other->offset == offset &&
		    debugtype_is_same(other->path.end, class) &&
		    (shared ? other->shared &&
				      debugtype_is_same(other->shared, shared)
			    : !other->shared))
			return;
	}
	one.path.end = class;
	vec_push(&search->found, one);
}

/* Search depth first. A member of a class hides those of its base classes. */
static void look(struct search *search, struct debugtype *class,
		 struct debugtype *shared, uint64_t offset)
{
	const struct debugmember *members;
	struct debugmember member = {0};
	size_t count;

	if (!search->left)
		return;
	search->left--;
	if (search->matches(search, class, &member)) {
		note(search, class, &member, shared, offset);
		return;
	}
	if (search->path.count == CLASSES_MAX_DEPTH)
		return;
	members = debugtype_members(class, &count);
	for (size_t i = 0; i < count; i++) {
		if (!members[i].is_base)
			continue;
		search->path.steps[search->path.count].class = class;
		search->path.steps[search->path.count].index = i;
		search->path.count++;
		if (members[i].is_virtual)
			look(search, members[i].type, members[i].type, 0);
		else
			look(search, members[i].type, shared,
			     offset + members[i].offset);
		search->path.count--;
	}
}

/*
 * Is `base` a virtual base of `class`, or a part of a virtual base of it? A
 * member of `class` then hides the member of `base` that has the same name, on
 * every path (C++17 13.2).
 */
static bool dominates(struct debugtype *class, const struct subobject *base)
{
	struct search search = {
		.matches = is_base, .base = base->path.end, .left = MAX_LOOKS};
	bool found = false;

	look(&search, class, NULL, 0);
	for (size_t i = 0; i < search.found.count; i++)
		found |= search.found.data[i].path.count && base->shared &&
			 search.found.data[i].shared &&
			 debugtype_is_same(search.found.data[i].shared,
					   base->shared);
	vec_free(&search.found);
	return found;
}

static bool is_hidden(const struct search *search, size_t index)
{
	for (size_t i = 0; i < search->found.count; i++)
		if (i != index && dominates(search->found.data[i].path.end,
					    &search->found.data[index]))
			return true;
	return false;
}

static void describe(const struct search *search, const struct subobject *one,
		     struct str *out)
{
	if (out->length)
		str_append(out, ", ");
	str_append(out, debugtype_name(one->path.end));
	if (search->matches == has_member)
		str_printf(out, "::%s", search->name);
	str_append(out, " (");
	for (unsigned i = 0; i < one->path.count; i++)
		str_printf(out, "%s -> ",
			   debugtype_name(one->path.steps[i].class));
	str_printf(out, "%s)", debugtype_name(one->path.end));
}

static void find(struct search *search, struct debugtype *class,
		 struct base_found *out)
{
	*out = (struct base_found){0};
	search->left = MAX_LOOKS;
	look(search, class, NULL, 0);
	for (size_t i = 0; i < search->found.count; i++) {
		if (is_hidden(search, i))
			continue;
		if (!out->count++) {
			out->path = search->found.data[i].path;
			out->member = search->found.data[i].member;
		}
		describe(search, &search->found.data[i], &out->candidates);
	}
	vec_free(&search->found);
}

void find_base(struct debugtype *class, struct debugtype *base,
	       struct base_found *out)
{
	struct search search = {.matches = is_base, .base = base};

	find(&search, class, out);
}

void find_base_called(struct debugtype *class, const char *name, size_t length,
		      struct base_found *out)
{
	struct search search = {
		.matches = is_called, .name = name, .length = length};

	find(&search, class, out);
}

void find_base_with(struct debugtype *class, const char *member,
		    struct base_found *out)
{
	struct search search = {.matches = has_member, .name = member};

	find(&search, class, out);
}

void base_found_deinit(struct base_found *found)
{
	str_deinit(&found->candidates);
}

/* ---- paths ---- */

const struct debugmember *path_step(const struct base_path *path,
				    unsigned index)
{
	size_t count;

	return &debugtype_members(path->steps[index].class,
				  &count)[path->steps[index].index];
}

bool path_is_virtual(const struct base_path *path)
{
	for (unsigned i = 0; i < path->count; i++)
		if (path_step(path, i)->is_virtual)
			return true;
	return false;
}

uint64_t path_offset(const struct base_path *path)
{
	uint64_t offset = 0;

	for (unsigned i = 0; i < path->count; i++)
		offset += path_step(path, i)->offset;
	return offset;
}

struct error *path_follow(const struct base_path *path,
			  const struct frame_reader *reader, uint64_t address,
			  uint64_t *base)
{
	for (unsigned i = 0; i < path->count; i++) {
		const struct debugmember *step = path_step(path, i);
		uint64_t offset = step->offset;

		if (step->is_virtual)
			TRY(debugtype_virtual_offset(path->steps[i].class,
						     path->steps[i].index,
						     reader, address, &offset));
		address += offset;
	}
	*base = address;
	return NULL;
}

bool is_dynamic(struct debugtype *class)
{
	const struct debugmember *members;
	size_t count;

	for (int depth = 0; class && depth < CLASSES_MAX_DEPTH; depth++) {
		struct debugtype *base = NULL;

		members = debugtype_members(class, &count);
		for (size_t i = 0; i < count; i++) {
			if (members[i].is_virtual ||
			    (members[i].name &&
			     str_starts(members[i].name, "_vptr")))
				return true;
			if (!base && members[i].is_base && !members[i].offset)
				base = members[i].type;
		}
		class = base;
	}
	return false;
}
