/*
 * loaded_modules.h - the modules in which breakpoints may be
 */
#ifndef PERFTOOL_PROBE_LOADED_MODULES_H
#define PERFTOOL_PROBE_LOADED_MODULES_H

#include "perftool/probe.h"

/* The modules of the process, in the form in which expressions look names up in
 * them. */
struct expr_modules probe_expr_modules(const struct process *process);
/* The program's file, and those of the libraries that it asks for, before it
 * runs: as far as they are where libraries usually are. Returns their number.
 * 0: there is no program, or it runs. */
size_t probe_linked_files(struct probe *probe, struct debugfile *const **out);

/* The path and the name of the modules of probe_vdso(). */
#define PROBE_VDSO "[vdso]"
/* The code that the kernel has put into the process (the vdso), whose image is
 * at [low, end): a module that nothing else tells, and at which there are no
 * breakpoints. Its bias and its range are not set. NULL: it cannot be read. */
const struct module *probe_vdso(struct probe *probe, struct process *process,
				uint64_t low, uint64_t end);
/* The module that contains a run-time address of a process, or NULL. */
const struct module *probe_module_at(struct probe *probe,
				     struct process *process, uint64_t address);
/* Is there code of the tool at a run-time address: an out-of-line slot, a
 * trampoline, or what it calls? If a thread with these registers is in a slot,
 * `regs` becomes what the program expects, and `*place` is the pc in the
 * program. Else `*place` is 0, and `regs` stays as it is: the registers are the
 * tool's. */
bool probe_own_code(struct process *process, uint64_t address,
		    struct user_regs_struct *regs, uint64_t *place);
/* The address of the instruction at which a thread is whose registers have this
 * pc. If the thread has executed an int3 of the tool, the pc is behind it.
 * Where the displaced instruction has one byte, another instruction begins
 * there, and only `in_kernel` tells that it was the int3: the thread executed
 * the kernel, or was stopped. */
uint64_t probe_stands_at(const struct process *process, uint64_t pc,
			 bool in_kernel);
/* The modules, by an index from 0 and in no particular order; NULL after the
 * last one. If processes run, these are the modules of all of them, each file
 * once; else the only one is the program's file. */
const struct module *probe_module(struct probe *probe, size_t index);

/* The name of the module's file, without the directory. For the program, the
 * name of the link by which the user called it. */
const char *module_name(const struct module *module);
uint64_t module_bias(const struct module *module);
/* Does @NAME mean this module? NAME may be the name of the file, its path, its
 * soname, the part of a name before a dot, or a glob. */
bool module_matches(const struct module *module, const char *name);
/* The path of the module's file, as the process names it. */
const char *module_path(const struct module *module);
/* The debug information of the module's file, which is opened at the first
 * call. NULL if the file cannot be read. The module owns the result. */
struct debugfile *module_file(const struct module *module);
/* The same, with debug information that has been found since the module's file
 * was opened: in the directories of probe_add_debug_directory(). */
struct debugfile *module_file_again(const struct module *module);
/* The run-time addresses of the module, from the first page to the last. */
struct range module_range(const struct module *module);
/* Keep a module, with its name and its file, also when no process maps it any
 * more. The caller gives it up with module_drop() before probe_destroy(). */
const struct module *module_keep(const struct module *module);
void module_drop(const struct module *module);
/* Do two modules come from the same file, perhaps at different addresses? */
bool module_is_same_file(const struct module *a, const struct module *b);
/* This number changes when modules have come or gone, in any process. */
uint64_t probe_module_changes(const struct probe *probe);

#endif
