/*
 * graph_index.c - the index that ends the listing of a call graph: the names of
 * the entries in the order of the alphabet, with their numbers
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph_page.h"
#include "perftool/base/alloc.h"
#include "perftool/base/vec.h"
#include "report/text/text.h"

/* The width of a page that has no terminal, and the blanks between columns. */
#define PAGE_WIDTH 80
#define GAP 2

struct index_item {
	const char *name;
	char *text; /* with the number before it */
	uint32_t entry;
};

VEC_STRUCT(index_items, struct index_item);

static int item_order(const void *a, const void *b)
{
	const struct index_item *left = a, *right = b;
	const int order = strcasecmp(left->name, right->name);

	return order ? order
		     : (left->entry > right->entry) -
			       (left->entry < right->entry);
}

static void find_items(struct graph_page *page, size_t width,
		       struct index_items *items)
{
	const struct call_graph *graph = page->report->graph;

	for (uint32_t i = 0; i < graph->entries.count; i++) {
		struct index_item item = {.name = page->names[i], .entry = i};
		char *number = xasprintf("[%" PRIu32 "]", i + 1);
		struct str text = {0};

		str_printf(&text, "%*s ", page->index, number);
		page->is_cut |= label_append(
			item.name, width ? width - text.length : 0, &text);
		item.text = str_take(&text);
		vec_push(items, item);
		free(number);
	}
	if (items->count)
		qsort(items->data, items->count, sizeof(*items->data),
		      item_order);
}

/* Append the items in columns, of which each is read downwards. */
static void put_items(const struct index_items *items, size_t width,
		      struct str *out)
{
	size_t longest = 1, columns, rows;

	for (size_t i = 0; i < items->count; i++) {
		if (text_width(items->data[i].text) > longest)
			longest = text_width(items->data[i].text);
	}
	columns = (width + GAP) / (longest + GAP);
	columns = columns ? columns : 1;
	rows = (items->count + columns - 1) / columns;
	for (size_t row = 0; row < rows; row++) {
		for (size_t at = row; at < items->count; at += rows) {
			const char *text = items->data[at].text;

			str_append(out, text);
			if (at + rows >= items->count)
				break;
			for (size_t fill = text_width(text);
			     fill < longest + GAP; fill++)
				str_append_char(out, ' ');
		}
		str_append_char(out, '\n');
	}
}

void graph_put_index(struct graph_page *page, struct str *out)
{
	const int columns = page->options->columns;
	const size_t width = columns > 20 ? (size_t)columns : PAGE_WIDTH;
	struct index_items items = {0};

	text_title("Index by function name", page->options->color, out);
	str_append_char(out, '\n');
	find_items(page, columns > 0 ? width : 0, &items);
	put_items(&items, width, out);
	for (size_t i = 0; i < items.count; i++)
		free(items.data[i].text);
	vec_free(&items);
}
