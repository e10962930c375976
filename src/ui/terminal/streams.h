/*
 * streams.h - standard streams that are closed when the tool starts, and lost
 * output
 */
#ifndef UI_STREAMS_H
#define UI_STREAMS_H

#include "perftool/base/error.h"

/* If a standard stream is closed when the tool starts, opens /dev/null in its
 * place. Otherwise a file that is opened later would get the descriptor of the
 * standard stream, and messages would be written into that file. A read or
 * write of a stream that was closed fails. A program that the tool launches
 * finds the stream closed, as it would be without the tool. */
void streams_reserve(void);

/* Writes what is in the buffer of standard output. Returns an error if this
 * write, or any earlier write to standard output, has failed. */
struct error *streams_flush(void);

#endif
