/*
 * staticpie.c - calls.h as a static program that is loaded at any address
 *
 * Flags: -static-pie -fPIE
 */
#include "calls.h"
