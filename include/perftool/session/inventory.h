/*
 * inventory.h - the modules of the program and their functions, and what the
 * user has asked for there, as data
 */
#ifndef PERFTOOL_SESSION_INVENTORY_H
#define PERFTOOL_SESSION_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/base/map.h"
#include "perftool/base/vec.h"

struct session;

/* The program or a library. The texts belong to the session, and are valid
 * until the next call that handles events of the program. */
struct module_facts {
	const char *name;     /* file name, without the directory */
	const char *path;     /* as the process names it */
	const char *build_id; /* hexadecimal digits, or NULL */
	uint64_t bias;        /* the load bias */
};
VEC_STRUCT(module_facts_list, struct module_facts);

/* Appends all modules; the program is the first. The caller frees the list. */
void session_modules(struct session *session, struct module_facts_list *out);

/* Returns the reason why nodes cannot be jumps in the program, which are fast;
 * NULL if they can. Single places may be int3s all the same. */
const char *session_refuses_jumps(const struct session *session);

/* The numbers of the breakpoints and of the legs that exist now, in ascending
 * order. The caller calls request_numbers_deinit(). */
VEC_STRUCT(number_list, uint32_t);
struct request_numbers {
	struct number_list breakpoints, legs;
};
void session_request_numbers(struct session *session,
			     struct request_numbers *out);
void request_numbers_deinit(struct request_numbers *numbers);

struct function_facts {
	char *name; /* readable */
	char *path; /* source file, as the compiler recorded it, or NULL */
	uint32_t line;
	/* what `time` takes, and what means no other function of the module;
	 * only if it was asked for */
	char *location;
	char *module;           /* file name of the module */
	uint64_t address, size; /* in the module's file */
};
VEC_STRUCT(function_facts_list, struct function_facts);

/* Appends the functions that a pattern names, as `time` takes it. It is no
 * error if there is none. With `locations`, functions of one module that share
 * a name are one. The caller calls function_facts_deinit(). */
struct error *session_functions(struct session *session, const char *pattern,
				bool locations,
				struct function_facts_list *out);
/* The same, but only in the modules whose paths are no keys of `searched`. */
struct error *session_new_functions(struct session *session,
				    const char *pattern, bool locations,
				    const struct strmap *searched,
				    struct function_facts_list *out);
void function_facts_deinit(struct function_facts_list *functions);

#endif
