/*
 * save.h - the command `save tables`
 */
#ifndef COMMAND_SAVE_H
#define COMMAND_SAVE_H

#include "command/interpreter.h"

command_fn run_save_tables;

#endif
