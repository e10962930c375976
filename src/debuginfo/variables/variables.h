/*
 * variables.h - finds the variable that a name in the source means at an
 * address, and reads its value
 *
 * This folder finds the variable that a name stands for where a program stops:
 * a local of the innermost block, a parameter at the function's entry, a
 * global, a variable that is only declared and is defined in another unit or
 * library, or a variable that only a symbol describes. It then reads the value
 * with the help of locations/, or says at which line the variable has a value.
 * It implements the functions for variables of perftool/debuginfo.h, including
 * results of functions and the variables of a frame. Two of its files are for
 * conditions: stack_variables.c tells whether the tool can find a variable with
 * the stack pointer alone, and simple_location.c tells whether code that runs
 * inside the program can find it with one register and a constant.
 *
 * It is the topmost folder and uses all others. None of them uses it; only
 * file.c frees the list of globals when it closes a file.
 */
#ifndef PERFTOOL_DEBUGINFO_VARIABLES_H
#define PERFTOOL_DEBUGINFO_VARIABLES_H

#include "globals.h"

#endif
