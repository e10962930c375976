/*
 * module.h - the program and the libraries of a process: module.c, link_order.c
 */
#ifndef PROBE_MODULE_H
#define PROBE_MODULE_H

#include "perftool/probe.h"

struct space;

/*
 * A program or library as it is mapped in a process: a file at an address. A
 * module does not change, so that the spaces of forked children share it. It is
 * counted by references, because places are reported after their process has
 * ended.
 */
struct module {
	struct probe *probe;
	size_t users;           /* references */
	char *path;             /* as the process names the file */
	uint64_t device, inode; /* of the file, as in /proc/PID/maps */
	/* the path by which the tool opens the file; NULL: it cannot be opened
	 */
	char *opened;
	/* What the user calls the program, perhaps a link, as it was typed.
	 * NULL for other modules. */
	char *called;
	/* The file name in `called`, or else in `path`, without the directory:
	 * for messages and for @MODULE. */
	char *name;
	uint64_t bias;
	uint64_t low, high;     /* its run-time addresses */
	struct debugfile *file; /* opened when it is first needed */
	bool unreadable;        /* the file could not be opened */
	/* see code_map.h; NULL: nothing has asked for it yet */
	struct code_map *code;
};

/* A module, as it is loaded in one space. */
struct loaded {
	struct module *module;
	/* the module is still mapped; only meaningful while the mappings are
	 * read */
	bool present;
	/* the module was loaded when the program started, as far as is known,
	 * and not later by dlopen() */
	bool linked;
	/* The numbers of the last breakpoints for which the module was
	 * searched: for the functions themselves, and for inlined copies. */
	uint32_t resolved, resolved_inlined;
};

VEC_STRUCT(file_list, struct debugfile *);

/* The files that are open, and the directories in which to look for separate
 * debug files. */
struct open_file;
struct open_files {
	VEC(struct open_file *) list; /* kept open from run to run */
	struct debug_directories debug_directories;
	/* the folder for debugfile_cache_index(), or NULL */
	char *cache_folder;
};

/* module.c: module_create() makes a module of the file `path`, which the tool
 * opens as `opened`. It takes over `opened`. The caller owns one reference to
 * the result. */
struct module *module_create(struct probe *probe, const char *path,
			     char *opened);
/* Note that the user calls the program by this path, which may be a link. */
void module_called(struct module *module, const char *path);
struct module *module_ref(struct module *module);
void module_unref(struct module *module); /* NULL is allowed */
/* Is the module a memfd that has a copy of the other module's file? */
bool module_is_copy_in_memory(const struct module *module,
			      const struct module *of);
void close_files(struct probe *probe);
struct error *space_read_modules(struct probe *probe, struct space *space);
/* Drop the modules that are not mapped any more. This is needed at a stop of
 * all threads: a thread may have stopped after it unmapped a library, and
 * before the run-time linker reports this to the tool. */
void space_forget_unmapped(struct probe *probe, struct space *space);
/* Note that all libraries that the program is linked with are loaded: mark all
 * modules of the space as linked. */
void space_has_libraries(struct space *space);
/* Find the modules of a process that is not stopped. The function only opens
 * files. */
struct error *preload_modules(struct probe *probe, pid_t pid,
			      struct space *space);
struct error *probe_open_file(struct probe *probe, const char *path,
			      struct debugfile **out);
struct module *space_module_at(struct space *space, uint64_t address);

/* link_order.c: the modules in the form in which expressions look names up in
 * them. */
struct expr_modules space_expr_modules(struct space *space);

#endif
