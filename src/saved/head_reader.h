/*
 * head_reader.h - what the object of tables says of the program, the machine
 * and the run
 */
#ifndef SAVED_HEAD_READER_H
#define SAVED_HEAD_READER_H

#include "json_row.h"
#include "perftool/saved.h"

/* The row of the members of the object, which json_row_member() reads into the
 * tables. */
struct json_row head_row(struct saved_tables *tables);

#endif
