/*
 * cxx_containers.c - where the elements of the containers of C++'s library are
 *
 * For the compiler, `v[0]` is a call of operator[], which the program may not
 * even contain. The members of the class show where the elements are. Their
 * names, in libstdc++ and libc++, are part of the binary interface and do not
 * change.
 */
#include "containers.h"
#include "expr/evaluate/evaluate.h"
#include "perftool/base/str.h"

static bool has_all(const struct operand *operand, const char *const *path)
{
	struct debugtype *type = operand->type.of;
	struct base_found found;

	for (; *path; path++) {
		if (debugtype_kind(type) != DEBUGTYPE_STRUCT)
			return false;
		find_base_with(type, *path, &found);
		base_found_deinit(&found);
		if (found.count != 1)
			return false;
		type = found.member.type;
	}
	return debugtype_kind(type) == DEBUGTYPE_POINTER ||
	       debugtype_kind(type) == DEBUGTYPE_ARRAY;
}

static struct error *take_all(struct binder *binder, const struct node *node,
			      const char *const *path, struct operand *out)
{
	bool found;

	for (; *path; path++)
		TRY(operand_take_member(binder, node, *path, out, &found));
	return NULL;
}

struct error *cxx_take_elements(struct binder *binder, const struct node *node,
				struct operand *out, bool *blocks)
{
	static const char *const paths[][3] = {
		{"_M_dataplus", "_M_p"}, /* basic_string */
		{"_M_str"},              /* basic_string_view */
		{"_M_elems"},            /* array */
		{"_M_impl", "_M_start"}, /* vector */
		{"_M_array"},            /* initializer_list */
		{"__begin_"},            /* libc++: vector */
		{"__elems_"},            /* array */
		{"__data_"},             /* basic_string_view */
	};
	static const char *const deque[] = {"_M_impl", "_M_start", "_M_cur",
					    NULL};

	if (type_kind(out->type) != DEBUGTYPE_STRUCT)
		return NULL;
	if (!str_starts(debugtype_name(debugtype_plain(out->type.of)), "std::"))
		return NULL;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		if (has_all(out, paths[i]))
			return take_all(binder, node, paths[i], out);
	if (!has_all(out, deque))
		return NULL;
	*blocks = true;
	return take_all(binder, node, deque, out);
}
