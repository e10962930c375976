/*
 * variables.h - finds what a name of the source means at an address, and its
 * value
 *
 * This folder finds the variable that a name stands for where a program stops:
 * a local of the innermost block, a parameter at the function's entry, a
 * global, a variable that is only declared and is defined in another unit or
 * library, or a variable that only a symbol describes. It then reads the value
 * with the help of locations/, or says where the value could be read. It
 * implements the functions for variables of perftool/debuginfo.h, including
 * results of functions and the variables of a frame. Two of its parts are for
 * conditions that run inside the program: they tell whether a variable can be
 * found with the stack pointer alone, or with one register and a constant.
 *
 * It is the topmost folder and uses all others. None of them uses it; only
 * file.c frees the list of globals when it closes a file.
 */
#ifndef PERFTOOL_DEBUGINFO_VARIABLES_H
#define PERFTOOL_DEBUGINFO_VARIABLES_H

#include "globals.h"

#endif
