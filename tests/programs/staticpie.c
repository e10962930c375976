/*
 * staticpie.c - calls.h as a static program at any address
 *
 * Flags: -static-pie -fPIE
 */
#include "calls.h"
