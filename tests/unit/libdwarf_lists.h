/*
 * libdwarf_lists.h - what libdwarf and libelf say about a file, as plain lists
 *
 * The second opinion; libdwarf_oracle.h fills them.
 */
#ifndef LIBDWARF_LISTS_H
#define LIBDWARF_LISTS_H

#include "debuginfo_samples.h"
#include "libdwarf_api.h"
#include "perftool/base/map.h"
#include "perftool/base/vec.h"

/* A row of a line table, in the order of the programs. */
struct oracle_row {
	uint64_t address;
	uint64_t line;
	const char *path;
	const char *other_path; /* NULL, or that may be meant: see there */
	size_t unit;            /* index of the first unit that has the table */
	bool is_stmt, end;
};

enum oracle_kind {
	ORACLE_SIGNED,
	ORACLE_UNSIGNED,
	ORACLE_FLOAT,
	ORACLE_POINTER,
	ORACLE_OTHER, /* no scalar */
};

/* Without typedefs and qualifiers; of a reference: of what it refers to. */
struct oracle_type {
	enum oracle_kind kind;
	uint64_t size;
	bool size_known, is_reference;
	const char *name; /* NULL: not compared */
};

/* A function (then it is its own `function`), a call inlined into it, or a
 * block of either. */
struct oracle_scope {
	struct range_list ranges;
	unsigned tag;
	size_t parent;    /* index; of a function: its own */
	size_t function;  /* index of the function it belongs to */
	unsigned depth;   /* below the function */
	const char *name; /* of a function */
	bool linked;      /* that is the name for the linker */
	/* Of a function: what lies between may also be of functions in it. */
	size_t end_scope, first_variable, end_variable;
};

struct oracle_variable {
	const char *name;
	const struct oracle_type *type;
	size_t scope;
	bool declaration; /* of something that lives elsewhere */
};

/* What the call frame information says of [low, high). */
struct oracle_frame {
	uint64_t low, high;
	bool debug_frame; /* else .eh_frame */
	bool known;       /* a register and an offset, not an expression */
	unsigned reg;
	int64_t offset;
};

/* An inlined call. */
struct oracle_call {
	const char *name;
	uint64_t address;
};

/* A type or a variable outside of functions. */
struct oracle_named {
	const char *name; /* of a type: with its scopes */
	uint64_t die;
	bool flag; /* a type: is declared; a variable: is external */
};

struct oracle_symbol {
	uint64_t address, size;
	const char *name; /* without a version */
};

struct oracle {
	Dwarf_Debug dbg;
	struct range_list code; /* executable segments */
	VEC(struct oracle_symbol) symbols;
	VEC(struct range_list) units; /* their code */
	VEC(struct oracle_row) rows;
	VEC(struct oracle_scope) scopes;
	VEC(struct oracle_variable) variables;
	VEC(struct oracle_frame) frames;
	VEC(struct oracle_call) calls;
	VEC(struct oracle_named) named_types, globals;
	struct strmap strings; /* every string above, once */
	struct map types;      /* struct oracle_type by offset of their DIE */
	struct map tables;     /* line tables that were read, by offset */
	bool c_plus_plus;      /* the unit being read */
};

#define ORACLE_NONE SIZE_MAX

static inline void oracle_failed(Dwarf_Error error, Dwarf_Ptr argument)
{
	fail_msg("libdwarf, on %s: %s", (const char *)argument,
		 dwarf_errmsg(error));
}

/* The same text, kept as long as the oracle. */
static inline const char *oracle_keep(struct oracle *oracle, const char *text)
{
	char *kept;

	if (!text)
		return NULL;
	kept = strmap_get(&oracle->strings, text);
	if (!kept) {
		kept = xstrdup(text);
		strmap_set(&oracle->strings, text, kept);
	}
	return kept;
}

__attribute__((format(printf, 2, 3))) static inline const char *
oracle_printf(struct oracle *oracle, const char *format, ...)
{
	const char *kept;
	va_list ap;
	char *text;

	va_start(ap, format);
	text = xvasprintf(format, ap);
	va_end(ap);
	kept = oracle_keep(oracle, text);
	free(text);
	return kept;
}

#endif
