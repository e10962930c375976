/* procedure_order.c - see procedure_order.h */
#include "procedure_order.h"

#include <string.h>

int procedure_order(const struct procedures *procedures, uint32_t a, uint32_t b)
{
	const struct procedure *left, *right;
	int order;

	if (a == NO_PROCEDURE || b == NO_PROCEDURE)
		return (a == NO_PROCEDURE) - (b == NO_PROCEDURE);
	left = &procedures->list.data[a];
	right = &procedures->list.data[b];
	order = strcmp(left->name, right->name);
	if (!order)
		order = strcmp(left->module, right->module);
	return order ? order : (a > b) - (a < b);
}
