/*
 * type_naming.c - see type_naming.h
 *
 * In C the name of a type is written around a declarator, the text in the place
 * of a variable's name: `int (*)[3]` is a pointer to an array. The file follows
 * the chain of types from the pointer to the array and so on. Each type adds
 * its part (`*`, brackets, parameters) to the declarator, until a type is
 * reached that has a name of its own, which stands before the declarator.
 */
#include "type_naming.h"

#include <string.h>

#include "debuginfo/index/index.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "type_chain.h"

/* The longest chain of types that is followed, and the most types in one name.
 * In a broken file the chain may be a circle, or the parameters of functions a
 * tree without end. */
#define MAX_CHAIN 32
#define MAX_TYPES 1000

/* The deepest nesting of scopes that is written. */
#define MAX_SCOPES 64

struct naming {
	struct debugfile *file;
	unsigned left; /* how many more types the name may have */
};

static bool has_scopes(const struct unit *unit)
{
	return unit_is_c_plus_plus(unit) || unit->language == DW_LANG_Rust;
}

/* ---- scopes -------------------------------------------------------------- */

/* The name of a scope; NULL: names do not mention this scope (a function, for
 * example). */
static const char *scope_name(struct debugfile *file, const struct die *die)
{
	const char *name;

	switch (die_tag(die)) {
	case DW_TAG_namespace:
		name = die_name(file, die);
		return name ? name : ANONYMOUS_NAMESPACE;
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
		return die_name(file, die);
	default:
		return NULL;
	}
}

/* Walk to the next DIE that contains the DIE at `offset`, or to this DIE
 * itself. False: the walk has passed `offset` or ended. */
static bool step_towards(struct die_walk *walk, uint64_t offset)
{
	while (die_walk_next(walk) && walk->die.offset <= offset) {
		struct die_walk after = *walk;

		if (walk->die.offset == offset)
			return true;
		die_walk_skip(&after);
		if (offset < after.next)
			return true;
		*walk = after;
	}
	return false;
}

void append_scopes(struct debugfile *file, const struct die *die,
		   struct str *out)
{
	struct die current = *die, root;
	struct die_walk walk;

	for (int hops = 0; hops < MAX_CHAIN; hops++) {
		struct die declaration;

		if (!die_reference(file, &current, DW_AT_specification,
				   &declaration))
			break;
		current = declaration;
	}
	if (!unit_read_root(file, current.unit) ||
	    !die_read(file, current.unit, current.unit->root, &root) ||
	    !root.abbrev)
		return;
	die_walk_init(&walk, file, &root);
	for (int depth = 0; depth < MAX_SCOPES; depth++) {
		const char *name;

		if (!step_towards(&walk, current.offset) ||
		    walk.die.offset == current.offset)
			return;
		name = scope_name(file, &walk.die);
		if (name)
			str_printf(out, "%s::", name);
	}
}

/* ---- names --------------------------------------------------------------- */

static void append_type(struct naming *naming, const struct die *die,
			const char *declarator, int depth, struct str *out);

/* Append the name of the type in DW_AT_type of the DIE, around the declarator.
 * `depth` is the number of types from the first type of the name to this
 * DIE. */
static void append_next(struct naming *naming, const struct die *die,
			const char *declarator, int depth, struct str *out)
{
	struct die next;

	append_type(naming, type_next(naming->file, die, &next) ? &next : NULL,
		    declarator, depth + 1, out);
}

static const char *sign_of(unsigned tag)
{
	switch (tag) {
	case DW_TAG_pointer_type:
		return "*";
	case DW_TAG_reference_type:
		return "&";
	case DW_TAG_rvalue_reference_type:
		return "&&";
	default:
		return NULL;
	}
}

static const char *qualifier_of(unsigned tag)
{
	switch (tag) {
	case DW_TAG_const_type:
		return "const";
	case DW_TAG_volatile_type:
		return "volatile";
	case DW_TAG_restrict_type:
		return "restrict";
	case DW_TAG_atomic_type:
		return "_Atomic";
	default:
		return NULL;
	}
}

/* The word that C writes before the name of a type with this tag. */
static const char *keyword_of(unsigned tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_class_type:
		return "class ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	default:
		return "";
	}
}

static void append_base(struct str *out, const char *declarator)
{
	if (*declarator)
		str_append_char(out, ' ');
	str_append(out, declarator);
}

/* Append the name of a qualified type. The qualifiers (`const` and the like)
 * stand behind the sign of a pointer, but before any other type. */
static void append_qualified(struct naming *naming, const struct die *die,
			     const char *declarator, int depth, struct str *out)
{
	struct die next = *die;
	struct str words = {0};
	bool known = true, pointer;
	unsigned hops = 0;

	do {
		str_printf(&words, "%s%s", words.length ? " " : "",
			   qualifier_of(die_tag(&next)));
		known = type_next(naming->file, &next, &next);
	} while (known && qualifier_of(die_tag(&next)) && hops++ < MAX_CHAIN);
	pointer = known && sign_of(die_tag(&next));
	if (pointer) {
		CLEANUP(free_pointer)
		char *inner = xasprintf(
			"%s %s%s%s", sign_of(die_tag(&next)), str_text(&words),
			*declarator == '*' || *declarator == '&' ? " " : "",
			declarator);

		append_next(naming, &next, inner, depth, out);
	} else {
		str_printf(out, "%s ", str_text(&words));
		append_type(naming, known ? &next : NULL, declarator, depth + 1,
			    out);
	}
	str_deinit(&words);
}

/* Begin the declarator of an array or function with the declarator so far.
 * Brackets and parameters bind tighter than the sign of a pointer, so a pointer
 * needs parentheses: `(*)[3]`. */
static void begin_suffix(struct str *inner, const char *declarator)
{
	bool wrapped = *declarator == '*' || *declarator == '&';

	str_printf(inner, wrapped ? "(%s)" : "%s", declarator);
}

static void append_array(struct naming *naming, const struct die *die,
			 const char *declarator, int depth, struct str *out)
{
	struct str inner = {0};
	struct die_walk walk;
	uint64_t number;

	begin_suffix(&inner, declarator);
	die_walk_init(&walk, naming->file, die);
	while (die_walk_next(&walk)) {
		die_walk_skip(&walk);
		if (die_tag(&walk.die) != DW_TAG_subrange_type)
			continue;
		if (die_constant(naming->file, &walk.die, DW_AT_count, &number))
			str_printf(&inner, "[%lu]", number);
		else if (die_constant(naming->file, &walk.die,
				      DW_AT_upper_bound, &number))
			str_printf(&inner, "[%lu]", number + 1);
		else
			str_append(&inner, "[]");
	}
	append_next(naming, die, str_text(&inner), depth, out);
	str_deinit(&inner);
}

static void append_function(struct naming *naming, const struct die *die,
			    const char *declarator, int depth, struct str *out)
{
	struct attribute prototyped;
	struct die_walk walk;
	struct str inner = {0};
	const char *separator = "";

	begin_suffix(&inner, declarator);
	str_append_char(&inner, '(');
	die_walk_init(&walk, naming->file, die);
	while (die_walk_next(&walk)) {
		die_walk_skip(&walk);
		if (die_tag(&walk.die) == DW_TAG_formal_parameter) {
			str_append(&inner, separator);
			append_next(naming, &walk.die, "", depth, &inner);
		} else if (die_tag(&walk.die) ==
			   DW_TAG_unspecified_parameters) {
			str_printf(&inner, "%s...", separator);
		} else {
			continue;
		}
		separator = ", ";
	}
	if (!*separator &&
	    (unit_is_c_plus_plus(die->unit) ||
	     die_inherited(naming->file, die, DW_AT_prototyped, &prototyped)))
		str_append(&inner, "void");
	str_append_char(&inner, ')');
	append_next(naming, die, str_text(&inner), depth, out);
	str_deinit(&inner);
}

/* Append the name of a pointer to a member: `int shape::Shape::*`. */
static void append_member_pointer(struct naming *naming, const struct die *die,
				  const char *declarator, int depth,
				  struct str *out)
{
	struct str inner = {0};
	struct die class;

	/* The declarator of a pointer to a member begins with the class, so
	 * begin_suffix() adds no parentheses: `int Shape::*(int)`.
	 * expr/print/member_pointer.c adds them for pointers to member
	 * functions. */
	if (die_reference(naming->file, die, DW_AT_containing_type, &class)) {
		append_type(naming, &class, "", depth + 1, &inner);
		str_append(&inner, "::");
	}
	str_printf(&inner, "*%s", declarator);
	append_next(naming, die, str_text(&inner), depth, out);
	str_deinit(&inner);
}

static size_t word_length(const char *text)
{
	size_t length = 0;

	while ((text[length] >= 'a' && text[length] <= 'z') ||
	       (text[length] >= 'A' && text[length] <= 'Z') ||
	       (text[length] >= '0' && text[length] <= '9') ||
	       text[length] == '_')
		length++;
	return length;
}

/* If two or more words of an integer type (`long unsigned int`) are at `text`,
 * append the type's shortest name. The result is the length of these words, or
 * 0 if there are fewer than two. */
static size_t take_integer(const char *text, struct str *out)
{
	static const char *const words[] = {"long", "short", "unsigned",
					    "signed", "int"};
	unsigned count[5] = {0}, all = 0;
	size_t end = 0, at = 0;

	for (;;) {
		size_t length = word_length(text + at), i = 0;

		while (i < 5 && (length != strlen(words[i]) ||
				 memcmp(text + at, words[i], length) != 0))
			i++;
		if (i == 5)
			break;
		count[i]++;
		all++;
		end = at + length;
		if (text[end] != ' ')
			break;
		at = end + 1;
	}
	if (all < 2)
		return 0;
	if (count[2])
		str_append(out, "unsigned ");
	if (count[1])
		str_append(out, "short");
	else if (count[0])
		str_append(out, count[0] > 1 ? "long long" : "long");
	else
		str_append(out, "int");
	return end;
}

/* Append a name, but write its integer types in one spelling for all compilers:
 * gcc's `long unsigned int` becomes `unsigned long`, also in template
 * arguments. */
static void append_canonical(struct str *out, const char *name)
{
	while (*name) {
		size_t taken = take_integer(name, out);
		size_t word = word_length(name);

		if (taken) {
			name += taken;
			continue;
		}
		str_append_n(out, name, word ? word : 1);
		name += word ? word : 1;
	}
}

static void append_named(struct naming *naming, const struct die *die,
			 const char *declarator, struct str *out)
{
	const char *name = die_name(naming->file, die);

	if (!name || !has_scopes(die->unit))
		str_append(out, keyword_of(die_tag(die)));
	if (name && has_scopes(die->unit) && die_tag(die) != DW_TAG_base_type)
		append_scopes(naming->file, die, out);
	append_canonical(out, name ? name : "{...}");
	append_base(out, declarator);
}

/* ---- Rust ---------------------------------------------------------------- */

/* Append the name of a function type: `fn (i32, &str) -> i32`. */
static void append_rust_function(struct naming *naming, const struct die *die,
				 int depth, struct str *out)
{
	const char *separator = "";
	struct die_walk walk;
	struct die result;

	str_append(out, "fn (");
	die_walk_init(&walk, naming->file, die);
	while (die_walk_next(&walk)) {
		die_walk_skip(&walk);
		if (die_tag(&walk.die) != DW_TAG_formal_parameter)
			continue;
		str_append(out, separator);
		append_next(naming, &walk.die, "", depth, out);
		separator = ", ";
	}
	str_append_char(out, ')');
	if (!type_next(naming->file, die, &result))
		return;
	str_append(out, " -> ");
	append_type(naming, &result, "", depth + 1, out);
}

/* Append the name of an array type: `[u16; 3]`. */
static void append_rust_array(struct naming *naming, const struct die *die,
			      int depth, struct str *out)
{
	struct die_walk walk;
	uint64_t number;

	str_append_char(out, '[');
	append_next(naming, die, "", depth, out);
	die_walk_init(&walk, naming->file, die);
	while (die_walk_next(&walk)) {
		die_walk_skip(&walk);
		if (die_tag(&walk.die) == DW_TAG_subrange_type &&
		    die_constant(naming->file, &walk.die, DW_AT_count, &number))
			str_printf(out, "; %lu", number);
	}
	str_append_char(out, ']');
}

/* Append the name of a Rust type. Rust writes types from left to right, so the
 * only declarator is the `*`s of pointers that the tool made. The debug
 * information does not say whether the program may change a value through a
 * pointer, so all pointers are written `*mut`, as gdb does. */
static void append_rust(struct naming *naming, const struct die *die,
			const char *declarator, int depth, struct str *out)
{
	for (; *declarator == '*'; declarator++)
		str_append(out, "*mut ");
	switch (die_tag(die)) {
	case DW_TAG_pointer_type:
		str_append(out, "*mut ");
		append_next(naming, die, "", depth, out);
		break;
	case DW_TAG_array_type:
		append_rust_array(naming, die, depth, out);
		break;
	case DW_TAG_subroutine_type:
	case DW_TAG_subprogram:
		append_rust_function(naming, die, depth, out);
		break;
	default:
		append_named(naming, die, "", out);
		break;
	}
}

static void append_type(struct naming *naming, const struct die *die,
			const char *declarator, int depth, struct str *out)
{
	unsigned tag = die ? die_tag(die) : 0;
	const char *sign = sign_of(tag);

	if (depth > MAX_CHAIN || !naming->left) {
		str_append(out, "?");
		return;
	}
	naming->left--;
	if (!die) {
		str_append(out, "void");
		append_base(out, declarator);
	} else if (die->unit->language == DW_LANG_Rust) {
		append_rust(naming, die, declarator, depth, out);
	} else if (sign) {
		CLEANUP(free_pointer)
		char *inner = xasprintf("%s%s", sign, declarator);

		append_next(naming, die, inner, depth, out);
	} else if (qualifier_of(tag)) {
		append_qualified(naming, die, declarator, depth, out);
	} else if (tag == DW_TAG_array_type) {
		append_array(naming, die, declarator, depth, out);
	} else if (tag == DW_TAG_subroutine_type || tag == DW_TAG_subprogram) {
		append_function(naming, die, declarator, depth, out);
	} else if (tag == DW_TAG_ptr_to_member_type) {
		append_member_pointer(naming, die, declarator, depth, out);
	} else {
		append_named(naming, die, declarator, out);
	}
}

char *type_name_at(struct debugfile *file, const struct die *type,
		   const char *declarator)
{
	struct naming naming = {.file = file, .left = MAX_TYPES};
	struct str name = {0};

	append_type(&naming, type, declarator, 0, &name);
	return str_take(&name);
}
