/*
 * ended_writer.h - a writer that gives up when a signal asks the tool to end
 */
#ifndef UI_ENDED_WRITER_H
#define UI_ENDED_WRITER_H

#include "perftool/base/writer.h"

/* The signals of signals_install_ends() end the waits of this writer, and what
 * it writes then fails. For commands that have no program. */
struct writer ended_writer(void);

#endif
