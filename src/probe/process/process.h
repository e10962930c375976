/*
 * process.h - what is known about a measured process: its memory, its programs
 * and libraries, its threads
 *
 * This folder reads and remembers; it writes nothing into a process. It says
 * which files are mapped where (mapping.h), which of them are programs and
 * libraries (module.h), in which order names are looked up in them
 * (link_order.c), which functions have made calls
 * (callers.h), what code of the kernel a process has (kernel_code.h), which
 * threads use a memory (space_users.h), on which stack a frame is (stack.h),
 * and which branches lead to an address of a module's code (code_map.h). All
 * other folders use this folder, and it uses none of them.
 *
 * The forks of processes, what they execute, and their end are handled in
 * events.c of the layer's own folder, because every folder must take part in
 * that.
 */
#ifndef PROBE_PROCESS_H
#define PROBE_PROCESS_H

#include "callers.h"
#include "code_map.h"
#include "kernel_code.h"
#include "mapping.h"
#include "module.h"
#include "space_users.h"
#include "stack.h"

#endif
