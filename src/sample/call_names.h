/*
 * call_names.h - the names of system calls
 */
#ifndef PERFTOOL_SAMPLE_CALL_NAMES_H
#define PERFTOOL_SAMPLE_CALL_NAMES_H

/* The name of a system call; NULL: there is none with this number. */
const char *call_name(long number);
/* The number of the system call with this name; -1: there is none. */
long call_number(const char *name);

#endif
