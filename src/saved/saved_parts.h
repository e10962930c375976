/*
 * saved_parts.h - frees what the rows of saved tables have
 */
#ifndef SAVED_SAVED_PARTS_H
#define SAVED_SAVED_PARTS_H

#include "perftool/saved.h"

void saved_node_deinit(struct saved_node *node);
void saved_leg_deinit(struct saved_leg *leg);

#endif
