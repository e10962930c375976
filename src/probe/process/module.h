/*
 * module.h - the programs and libraries of a process: module.c, link_order.c
 */
#ifndef PROBE_MODULE_H
#define PROBE_MODULE_H

#include "perftool/probe.h"

struct space;

/*
 * A program or library as it is mapped in a process: a file at an address. It
 * does not change, so that forked children share it; it lives for as long as
 * somebody has a reference to it, for places are told of after their process
 * has ended.
 */
struct module {
	struct probe *probe;
	size_t users;           /* references */
	char *path;             /* as the process names it */
	uint64_t device, inode; /* of its file, as maps has them */
	char *opened;           /* to open it by; NULL: it cannot be had */
	/* how the user calls the program, perhaps by a link, as it was typed;
	 * NULL: another module */
	char *called;
	char *name; /* the file name of that alone, for people and for @MODULE
		     */
	uint64_t bias;
	uint64_t low, high;     /* run-time addresses */
	struct debugfile *file; /* opened when first needed */
	bool unreadable;        /* it could not be opened */
	struct code_map *code;  /* see code_map.h; NULL: not asked for yet */
};

/* A module in one space. */
struct loaded {
	struct module *module;
	bool present; /* while the maps are read again */
	bool linked;  /* it came with the program, as far as that is known */
	/* breakpoints up to this number were looked for here */
	uint32_t resolved, resolved_inlined;
};

VEC_STRUCT(file_list, struct debugfile *);

/* The files that were opened, and where to look for separate ones. */
struct open_file;
struct open_files {
	VEC(struct open_file *) list; /* kept open from run to run */
	struct debug_directories debug_directories;
};

/* module.c */
struct module *module_create(struct probe *probe, const char *path,
			     char *opened);
/* The user calls it by this path, a link perhaps. */
void module_called(struct module *module, const char *path);
struct module *module_ref(struct module *module);
void module_unref(struct module *module); /* NULL is allowed */
void close_files(struct probe *probe);
struct error *space_read_modules(struct probe *probe, struct space *space);
/* A thread that unloads a library may have stopped when that is gone, and the
 * run-time linker has not said so yet. */
void space_forget_unmapped(struct probe *probe, struct space *space);
/* What the program is linked with is there: all that is. */
void space_has_libraries(struct space *space);
/* The same of a process that is not stopped; only files are opened. */
struct error *preload_modules(struct probe *probe, pid_t pid,
			      struct space *space);
struct error *probe_open_file(struct probe *probe, const char *path,
			      struct debugfile **out);
struct module *space_module_at(struct space *space, uint64_t address);

/* link_order.c: how expressions look names up in the modules. */
struct expr_modules space_expr_modules(struct space *space);

#endif
