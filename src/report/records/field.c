/* field.c - a record: a list of named fields, for JSON and CSV */
#include "field.h"

#include <math.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "report/figures/figures.h"

void record_deinit(struct record *record)
{
	for (size_t i = 0; i < record->count; i++) {
		struct field *field = &record->data[i];

		if (field->kind == FIELD_TEXT || field->kind == FIELD_DECIMAL)
			free(field->text);
		for (size_t j = 0; j < field->texts.count; j++)
			free(field->texts.data[j]);
		vec_free(&field->texts);
	}
	vec_free(record);
}

void add_null(struct record *record, const char *name)
{
	vec_push(record, (struct field){.name = name, .kind = FIELD_NULL});
}

void add_bool(struct record *record, const char *name, bool value)
{
	vec_push(record, (struct field){.name = name,
					.kind = FIELD_BOOL,
					.boolean = value});
}

void add_integer(struct record *record, const char *name, __int128 value)
{
	vec_push(record, (struct field){.name = name,
					.kind = FIELD_INTEGER,
					.integer = value});
}

void add_number(struct record *record, const char *name, double value)
{
	if (!isfinite(value)) {
		add_null(record, name);
		return;
	}
	vec_push(record, (struct field){.name = name,
					.kind = FIELD_NUMBER,
					.number = value});
}

void add_text(struct record *record, const char *name, const char *value)
{
	if (!value) {
		add_null(record, name);
		return;
	}
	vec_push(record, (struct field){.name = name,
					.kind = FIELD_TEXT,
					.text = xstrdup(value)});
}

void add_decimal(struct record *record, const char *name, struct str *text)
{
	if (text->length)
		vec_push(record, (struct field){.name = name,
						.kind = FIELD_DECIMAL,
						.text = str_take(text)});
	else
		add_null(record, name);
}

void add_percent(struct record *record, const char *name, __int128 part,
		 __int128 whole)
{
	struct str text = {0};

	percent_text(part, whole, &text);
	add_decimal(record, name, &text);
}

void add_value(struct record *record, const char *name, struct value value)
{
	switch (value.kind) {
	case VALUE_NONE:
		add_null(record, name);
		break;
	case VALUE_SIGNED:
		add_integer(record, name, value.i);
		break;
	case VALUE_UNSIGNED:
		add_integer(record, name, value.u);
		break;
	case VALUE_FLOAT:
		add_number(record, name, value.f);
		break;
	}
}
