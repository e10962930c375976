/*
 * element_rules.c - which containers of which languages have elements that an
 * expression can name
 *
 * The rules are in the folder containers. The tool does without each of them:
 * an expression then has to name the members of the container itself.
 */
#include "expr/bind/bind.h"

element_rule_fn *const element_rules[] = {
	rust_take_elements,
	cxx_take_elements, /* src/expr/containers */
	NULL,
};
