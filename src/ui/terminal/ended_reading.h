/*
 * ended_reading.h - the reading of saved tables that a signal ends
 */
#ifndef UI_ENDED_READING_H
#define UI_ENDED_READING_H

#include "perftool/saved.h"

/* The signals of signals_install_ends() end the reading, and what is read then
 * fails. A command that shows how far the reading has come sets `goes_on` to a
 * function of its own, which returns false when signals_peek() has a signal.
 * For commands that have no program. */
struct saved_watch ended_reading(void);

#endif
