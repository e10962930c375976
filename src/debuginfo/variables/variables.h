/*
 * variables.h - what a name of the source means at an address, and its value
 *
 * This folder finds the variable that a name stands for where a program stops:
 * a local of the innermost block, a parameter at the function's entry, a
 * global, a variable that is only declared and is in another unit or library,
 * or one that only a symbol tells of. It then reads the value, with the help of
 * locations/, or says where it could be read. It implements the functions for
 * variables of perftool/debuginfo.h, results of functions and the variables of
 * a frame included. Two of its parts serve conditions that run inside the
 * program: they tell whether a variable can be had by the stack pointer alone,
 * or by one register and a constant.
 *
 * It is the topmost folder and uses all others. None of them uses it; file.c,
 * which closes a file, frees the list of globals.
 */
#ifndef PERFTOOL_DEBUGINFO_VARIABLES_H
#define PERFTOOL_DEBUGINFO_VARIABLES_H

#include "globals.h"

#endif
