/*
 * demangler.c - C++, Rust, Fortran, D and Ada names for display
 *
 * libiberty does the work, except for Fortran and Ada. In a mangled name a
 * reference can repeat a part of the name, so a short mangled name may stand
 * for gigabytes of text. The tool leaves libiberty's printer by longjmp() when
 * the text becomes too long. This is allowed because the callback interface
 * allocates no memory, except one buffer for a Rust name with letters beyond
 * ASCII.
 */
#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "function_names.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/* A demangled name may be at most this many times as long as its mangled form,
 * plus MAX_BASE. Names in the largest C++ libraries stay well below this
 * limit. */
#define MAX_GROWTH 64
#define MAX_BASE 4096
/* A number of lifetimes with this many digits is refused. The digits are in
 * base 62, so 4 digits allow 14 million. */
#define MOST_DIGITS 5
/* The longest name of D that is demangled. libiberty goes one call deeper for
 * each level of a type. */
#define MOST_OF_D 1024
#define FORTRAN_SEPARATOR "_MOD_"
#define HASH_LENGTH 19 /* length of "::h0123456789abcdef" */

struct sink {
	struct str text;
	size_t max;
	jmp_buf too_long;
};

typedef int demangler(const char *, int, demangle_callbackref, void *);

/* ---- Fortran ------------------------------------------------------------- */

/* Find FORTRAN_SEPARATOR in a name of gfortran, __MODULE_MOD_PROCEDURE, in
 * which all other letters are small. NULL: the name is of another kind. */
static const char *find_separator(const char *name)
{
	const char *separator;

	if (!str_starts(name, "__") || !islower((unsigned char)name[2]))
		return NULL;
	separator = strstr(name + 2, FORTRAN_SEPARATOR);
	return separator && islower((unsigned char)separator[strlen(
				    FORTRAN_SEPARATOR)])
		       ? separator
		       : NULL;
}

/* MODULE::PROCEDURE, as gdb writes it; with DMGL_PARAMS also the suffix of a
 * copy or part that the compiler made. */
static char *demangle_fortran(const char *name, int options)
{
	const char *separator = find_separator(name);
	const char *procedure = separator + strlen(FORTRAN_SEPARATOR);
	size_t length = strcspn(procedure, ".");
	struct str text = {0};

	str_append_n(&text, name + 2, (size_t)(separator - name) - 2);
	str_append(&text, "::");
	str_append_n(&text, procedure, length);
	if (procedure[length] && options & DMGL_PARAMS)
		str_printf(&text, " [clone %s]", procedure + length);
	return str_take(&text);
}

/* ---- D ------------------------------------------------------------------- */

static bool is_of_d(const char *name)
{
	return str_starts(name, "_D") && isdigit((unsigned char)name[2]);
}

/* The length of a name of D without its parameters. Those of a template stand
 * behind an exclamation mark. */
static size_t length_without_parameters(const char *text)
{
	int depth = 0;

	for (const char *at = text; *at; at++) {
		if (*at == '(' && !depth && at > text && at[-1] != '!')
			return (size_t)(at - text);
		depth += (*at == '(') - (*at == ')');
	}
	return strlen(text);
}

/* libiberty's printer for D cannot be left while it prints. So names that may
 * take it long are left as they are: those with back references (Q), and long
 * ones. */
static char *demangle_d(const char *name, int options)
{
	CLEANUP(free_pointer) char *text = NULL;

	if (strlen(name) > MOST_OF_D || strchr(name, 'Q'))
		return NULL;
	text = dlang_demangle(name, options);
	if (!text)
		return NULL;
	return xstrndup(text, options & DMGL_PARAMS
				      ? strlen(text)
				      : length_without_parameters(text));
}

/* ---- Ada ----------------------------------------------------------------- */

#define ADA_PROCEDURE "_ada_"

char *demangle_ada(const char *name)
{
	const bool is_alone = str_starts(name, ADA_PROCEDURE);
	const char *at = is_alone ? name + strlen(ADA_PROCEDURE) : name;
	struct str text = {0};
	bool is_changed = is_alone;

	/* Behind three underscores, or in a name of another form, GNAT has what
	 * no name in the source stands for. */
	if (!islower((unsigned char)*at) || strstr(at, "___"))
		return NULL;
	while (*at) {
		if (str_starts(at, "__") && isalpha((unsigned char)at[2])) {
			str_append_char(&text, '.');
			is_changed = true;
			at += 2;
		} else {
			str_append_char(&text, *at++);
		}
	}
	if (!is_changed)
		str_deinit(&text);
	return is_changed ? str_take(&text) : NULL;
}

/* ---- all languages ------------------------------------------------------- */

bool is_mangled(const char *name)
{
	/* _Z: C++, and Rust's older scheme; _R: Rust's new scheme; __Z: the
	 * same as _Z, behind the underscore that some C ABIs put before
	 * names */
	return str_starts(name, "_Z") || str_starts(name, "_R") ||
	       str_starts(name, "__Z") || find_separator(name) || is_of_d(name);
}

bool has_hash(const char *name)
{
	static const char digits[] = "0123456789abcdef";
	size_t length = strlen(name);

	if (length < HASH_LENGTH ||
	    !str_starts(name + length - HASH_LENGTH, "::h"))
		return false;
	name += length - HASH_LENGTH + strlen("::h");
	return strspn(name, digits) == strlen(name);
}

static void append(const char *text, size_t length, void *context)
{
	struct sink *sink = context;

	if (length > sink->max - sink->text.length)
		longjmp(sink->too_long, 1);
	if (length)
		str_append_n(&sink->text, text, length);
}

/* Demangle by one scheme. False: the name is not of this scheme, or its text
 * is too long. */
static bool print(demangler *print_name, const char *name, int options,
		  struct sink *sink)
{
	if (setjmp(sink->too_long))
		return false;
	return print_name(name, options, append, sink) != 0;
}

/*
 * Does a Rust name claim that a function or trait has a huge number of
 * lifetimes? libiberty counts the lifetimes one by one, even where it prints
 * nothing, so longjmp() cannot stop it. Real names have few lifetimes, and
 * their number has one digit.
 */
static bool is_endless(const char *name)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (const char *at = name; (at = strchr(at, 'G')); at++) {
		size_t length = strspn(at + 1, digits);

		/* The number of lifetimes stands behind a G that follows F
		 * (`fn`) or D (`dyn`). Elsewhere G is a letter of a name. */
		if (at > name && (at[-1] == 'F' || at[-1] == 'D') &&
		    length >= MOST_DIGITS && at[1 + length] == '_')
			return true;
	}
	return false;
}

static char *demangle(const char *name, int options)
{
	struct sink sink = {.max = strlen(name) * MAX_GROWTH + MAX_BASE};

	if (!is_mangled(name) || is_endless(name))
		return NULL;
	if (find_separator(name))
		return demangle_fortran(name, options);
	if (is_of_d(name))
		return demangle_d(name, options);
	options |= DMGL_ANSI;
	/* Names of Rust's older scheme are also valid C++ names, so Rust is
	 * tried first. */
	if (print(rust_demangle_callback, name, options, &sink))
		return str_take(&sink.text);
	str_deinit(&sink.text);
	if (print(cplus_demangle_v3_callback, name, options, &sink))
		return str_take(&sink.text);
	str_deinit(&sink.text);
	return NULL;
}

char *demangle_plain(const char *name)
{
	return demangle(name, 0);
}

char *demangle_hashed(const char *name)
{
	return demangle(name, DMGL_VERBOSE);
}

char *demangle_parameters(const char *name)
{
	return demangle(name, DMGL_PARAMS | DMGL_RET_DROP);
}

char *debuginfo_demangle(const char *name)
{
	char *text = demangle_parameters(name);

	return text ? text : xstrdup(name);
}

char *debuginfo_demangle_apart(const char *name)
{
	char *text = demangle_hashed(name);

	if (text && has_hash(text))
		return text;
	free(text);
	return debuginfo_demangle(name);
}
