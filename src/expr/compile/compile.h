/*
 * compile.h - from the code of a bound expression to a program of a fast node
 *
 * This folder implements bound_expr_compile() of perftool/expr.h, and the
 * programs that read the descriptor of a goroutine. A fast node has no tool
 * that could evaluate an expression: its trampoline runs a small program
 * (perftool/fast.h) in the thread itself. Compiled is therefore only what
 * cannot fail and what gives the very bits that the machine would give; all
 * else is refused with a reason, and the probe layer then leaves the node an
 * int3.
 *
 * What the files of the folder share is in compiler.h. No other folder of the
 * layer includes this one.
 */
#ifndef EXPR_COMPILE_H
#define EXPR_COMPILE_H

#include "perftool/expr.h"

#endif
