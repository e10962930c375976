/* string_list.c - see string_list.h */
#include "perftool/base/string_list.h"

#include <stdlib.h>

void string_list_clear(struct string_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->data[i]);
	vec_clear(list);
}

void string_list_deinit(struct string_list *list)
{
	string_list_clear(list);
	vec_free(list);
}
