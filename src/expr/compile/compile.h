/*
 * compile.h - from the code of a bound expression to a program of a fast node
 *
 * This folder implements bound_expr_compile() of perftool/expr.h, and the
 * programs that read the descriptor of a goroutine. At a fast node the tool is
 * not there to evaluate an expression: the trampoline runs a small program
 * (perftool/fast_node.h) in the thread itself. The compiler therefore accepts
 * only code that cannot fail, and its program gives exactly the bits that the
 * machine would give. Otherwise it refuses with a reason, and the probe layer
 * makes the node an int3.
 *
 * The files of the folder share compiler.h. No other folder of the layer
 * includes this one.
 */
#ifndef EXPR_COMPILE_H
#define EXPR_COMPILE_H

#include "perftool/expr.h"

#endif
