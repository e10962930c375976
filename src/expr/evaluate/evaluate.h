/*
 * evaluate.h - the machine that runs the code of a bound expression at a hit
 *
 * The machine has a stack of numbers. Its instructions, and the bound
 * expression that owns them, are in code.h. This folder implements
 * bound_expr_evaluate() and the questions about bound expressions of
 * perftool/expr.h, arithmetic and conversions by C's rules, and the
 * instructions that read the target: its memory, the class of a C++ object, the
 * goroutine of a thread of a Go program. At a hit, only an error allocates
 * memory.
 *
 * To the other folders it offers
 * - the instructions and bound expressions (code.h): the binder writes them,
 *   the compiler for fast nodes translates them, the printer runs them;
 * - the path from a class to its base classes (base_class.h), which the binder
 *   searches where the expression names the class, and the machine where only
 *   the object knows its class;
 * - the caller of a frame's function (caller.h), which `$caller` asks for;
 * - objects that are strings (text_object.h), and strings in the memory of the
 *   target (target_memory.h).
 *
 * It includes the folder syntax, for types, numbers and the columns of
 * messages.
 */
#ifndef EXPR_EVALUATE_H
#define EXPR_EVALUATE_H

#include "base_class.h"
#include "caller.h"
#include "code.h"
#include "target_memory.h"
#include "text_object.h"

#endif
