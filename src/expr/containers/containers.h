/*
 * containers.h - where the elements of the containers of C++'s and Rust's
 * libraries are
 *
 * The folder is periphery: the tool measures without it. element_rules.c, in
 * the layer's own folder, names its functions; no other file does.
 */
#ifndef EXPR_CONTAINERS_H
#define EXPR_CONTAINERS_H

#include "expr/bind/bind.h"

#endif
