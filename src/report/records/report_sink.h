/*
 * report_sink.h - the sink of a report that is wanted as one text
 */
#ifndef PERFTOOL_REPORT_REPORT_SINK_H
#define PERFTOOL_REPORT_REPORT_SINK_H

#include "perftool/report.h"

/* Takes nothing, and never fails: the whole report is in the text at the end.
 */
extern const struct report_sink report_keeps_all;

#endif
