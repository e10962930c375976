/*
 * exit_status.c - the exit status of perftool where there is no prompt
 */
#include "exit_status.h"

#include <signal.h>

#include "ui.h"

int exit_of_error(const struct error *error)
{
	switch (error_code(error)) {
	case ERROR_NOT_EXECUTABLE:
		return EXIT_NOT_EXECUTABLE;
	case ERROR_NO_PROGRAM:
		return EXIT_NOT_FOUND;
	default:
		return EXIT_TOOL_FAILED;
	}
}

int exit_failed(const struct ui *ui, struct error *error)
{
	int status = exit_of_error(error);

	ui_report_error(ui, "perftool: ", error);
	return status;
}

int exit_of_program(const struct ui *ui)
{
	const struct perftool_state state = ui_state(ui);

	if (!state.has_ended)
		return 0;
	/* A shell exits with the status that a signal has. */
	if (state.exit_status == EXIT_SIGNAL + SIGINT &&
	    (ui->ended_in_time || state.is_time_over))
		return 0;
	return state.exit_status;
}

int exit_final(struct ui *ui)
{
	switch (perftool_session_expected(ui->session)) {
	case PERFTOOL_EXPECTED_FAILED:
		return EXIT_TOOL_FAILED;
	case PERFTOOL_EXPECTED_UNMET:
		return EXIT_NOT_EXPECTED;
	case PERFTOOL_EXPECTED_MET:
		break;
	}
	return exit_of_program(ui);
}
