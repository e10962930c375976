/*
 * streams.h - standard input, standard output and standard error
 */
#ifndef UI_STREAMS_H
#define UI_STREAMS_H

#include "perftool/base/error.h"

/* If a standard stream is closed when the tool starts, opens /dev/null in its
 * place. Otherwise a file that is opened later would get the number of the
 * standard stream, and messages would be written into that file. A read or
 * write of such a stream fails. A program that the tool launches finds the
 * stream closed, as it would be without the tool. */
void streams_reserve(void);

/* Writes what is in the buffer of standard output. Returns an error if that, or
 * any write to standard output before, has failed. */
struct error *streams_flush(void);

#endif
