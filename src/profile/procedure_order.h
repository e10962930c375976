/*
 * procedure_order.h - which procedure a listing names first, when the figures
 * of two are equal
 */
#ifndef PROFILE_PROCEDURE_ORDER_H
#define PROFILE_PROCEDURE_ORDER_H

#include <stdint.h>

#include "perftool/profile/procedures.h"

/* Compare by name, module, and number, as strcmp() does. NO_PROCEDURE is last.
 */
int procedure_order(const struct procedures *procedures, uint32_t a,
		    uint32_t b);

#endif
