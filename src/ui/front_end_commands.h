/*
 * front_end_commands.h - the subcommands that talk to a perftool that serves
 */
#ifndef UI_FRONT_END_COMMANDS_H
#define UI_FRONT_END_COMMANDS_H

#include "options.h"

/* Each carries out its subcommand, and returns the exit status. */
int who_main(const struct options *options);
int ctl_main(const struct options *options);

#endif
