/*
 * protocol_text.c - the section of doc/PROTOCOL.md on the operations, made from
 * their table
 */
#include <ctype.h>

#include "perftool/base/alloc.h"
#include "perftool/operations.h"
#include "perftool/serve.h"

static void append_upper(const char *text, struct str *out)
{
	for (; *text; text++)
		str_append_char(out, (char)toupper((unsigned char)*text));
}

/* Appends a text for a cell of a table, in which a bar would end the cell. */
static void append_cell(const char *text, struct str *out)
{
	for (; *text; text++) {
		if (*text == '|')
			str_append_char(out, '\\');
		str_append_char(out, *text);
	}
}

static void document_members(const char *heading, const struct member *members,
			     struct str *out)
{
	if (!members || !members->name)
		return;
	str_printf(out, "| %s | type | what it says |\n|---|---|---|\n",
		   heading);
	for (; members->name; members++) {
		str_printf(out, "| `%s` | ", members->name);
		append_cell(members->type, out);
		str_append(out, " | ");
		append_cell(members->summary, out);
		str_append(out, " |\n");
	}
	str_append_char(out, '\n');
}

static void document_operation(const struct operation *operation,
			       struct str *out)
{
	str_append(out, "### ");
	append_upper(operation->name, out);
	str_append(out, "\n\n");
	if (operation->is_patch)
		str_append(out, "A DYPATCH message. ");
	str_append(out, operation->summary);
	str_append_char(out, '\n');
	if (operation->request_wrapper) {
		str_append(out, "In XML, the parameters may be in an element ");
		append_upper(operation->request_wrapper, out);
		str_append(out, ".\n");
	}
	if (operation->alone)
		str_printf(out,
			   "The parameters of one `%s[]` may also stand alone, "
			   "without it.\n",
			   operation->alone);
	if (operation->reply_wrapper)
		str_printf(out, "In XML, the result is in an element %s.\n",
			   operation->reply_wrapper);
	str_append_char(out, '\n');
	document_members("parameter", operation->parameters, out);
	document_members("reply", operation->reply, out);
}

static void document_variables(struct str *out)
{
	const char *name, *summary;

	str_append(out, "### Variables of SET and GET\n\n"
			"Besides these, all settings of `set` are variables: "
			"`help set` lists them.\n\n"
			"| variable | what it says |\n|---|---|\n");
	for (size_t i = 0; variable_at(i, &name, &summary); i++) {
		str_printf(out, "| `%s` | ", name);
		append_cell(summary, out);
		str_append(out, " |\n");
	}
	str_append_char(out, '\n');
}

void serve_document(struct str *out)
{
	const struct operation *operation;

	for (size_t i = 0; (operation = operation_at(i)); i++)
		document_operation(operation, out);
	document_variables(out);
}
