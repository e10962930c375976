/*
 * print.h - values as text, as gdb's `print` writes them
 *
 * This folder implements perftool/expr_print.h. It runs the code of a bound
 * expression and writes the result by its type: a structure with its members,
 * an array with its elements, and parts that are scalars as the folder label
 * writes them. The end-to-end test gdb_print.t compares the text with that of
 * gdb.
 *
 * The folder is periphery: the tool measures without it, and no other folder
 * includes it.
 */
#ifndef EXPR_PRINT_H
#define EXPR_PRINT_H

#include "perftool/expr_print.h"

#endif
