/*
 * evaluate.h - the machine that runs the code of a bound expression at a hit
 *
 * The machine has a stack of numbers; its code, and the expression that owns
 * the code, are in code.h. This folder implements bound_expr_evaluate() of
 * perftool/expr.h, arithmetic and conversions by C's rules, and the
 * instructions that read the target: its memory, the class of a C++ object, the
 * goroutine of a thread of a Go program. Nothing is allocated at a hit but the
 * error of a value that cannot be had.
 *
 * To the other folders it offers
 * - the instructions and bound expressions (code.h): the binder writes them,
 * the compiler for fast nodes translates them, the printer runs them,
 * - the way from a class to its base classes (base_class.h), which the binder
 *   needs where the class is known, and the machine where only the object
 * knows,
 * - objects that are strings (text_object.h), and strings in the memory of the
 *   target (target_memory.h).
 *
 * It includes the folder syntax, for types, numbers and the columns of
 * messages.
 */
#ifndef EXPR_EVALUATE_H
#define EXPR_EVALUATE_H

#include "base_class.h"
#include "code.h"
#include "target_memory.h"
#include "text_object.h"

#endif
