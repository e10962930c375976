/*
 * syntax.h - from the text of an expression to a tree of operators
 *
 * This folder implements the parsing functions of perftool/expr.h:
 * expr_parse(), expr_parse_prefix(), expr_first_variable(). A lexer finds the
 * words, and a parser by recursive descent makes a tree of them. The parser
 * knows the languages C, C++ and Rust, but not the program: a name is still a
 * word in the tree, and so is the name of a type that the program defines.
 *
 * To the other folders it offers
 * - the tree (tree.h), which the binder walks and from which every message has
 *   its column,
 * - the types of values (type.h): those of C by themselves, those of the
 *   program by reference to its debug information,
 * - numbers (literal.h), as the tree and the machine hold them.
 *
 * It includes no other folder of the layer, and all others include it.
 */
#ifndef EXPR_SYNTAX_H
#define EXPR_SYNTAX_H

#include "literal.h"
#include "tree.h"
#include "type.h"

#endif
