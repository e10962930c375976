/*
 * streams.h - the three standard streams
 */
#ifndef UI_STREAMS_H
#define UI_STREAMS_H

#include "perftool/base/error.h"

/* Nothing that is opened later is to have the number of a standard stream that
 * was closed when we were started: messages would be written into it. Reading
 * and writing of such a stream fails; a program that is launched finds it
 * closed, as it would without us. */
void streams_reserve(void);

/* Write what is in the buffer of standard output. */
struct error *streams_flush(void);

#endif
