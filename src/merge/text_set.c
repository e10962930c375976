/* text_set.c - see text_set.h */
#include "text_set.h"

#include <stdint.h>

#include "perftool/base/alloc.h"

void text_set_deinit(struct text_set *set)
{
	string_list_deinit(&set->texts);
	strmap_deinit(&set->index);
}

size_t text_set_find(const struct text_set *set, const char *text)
{
	return (size_t)(uintptr_t)strmap_get(&set->index, text) - 1;
}

bool text_set_add(struct text_set *set, const char *text)
{
	if (!text)
		return false;
	if (text_set_find(set, text) != SIZE_MAX)
		return true;
	vec_push(&set->texts, xstrdup(text));
	strmap_set(&set->index, text, (void *)(uintptr_t)set->texts.count);
	return false;
}

const char *text_set_only(const struct text_set *set)
{
	return set->texts.count == 1 ? set->texts.data[0] : NULL;
}
