/*
 * test_ui_status.c - the status line of a command that takes long
 *
 * tier: core
 * covers: ui/terminal
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>

#include "../../src/ui/terminal/status.h"

#define SECOND 1000000000u

struct screen {
	int master, terminal;
	char text[400];
};

static void open_screen(struct screen *screen, unsigned short columns)
{
	struct winsize size = {.ws_row = 24, .ws_col = columns};

	screen->master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(screen->master >= 0);
	assert_int_equal(grantpt(screen->master), 0);
	assert_int_equal(unlockpt(screen->master), 0);
	screen->terminal = open(ptsname(screen->master), O_RDWR | O_NOCTTY);
	assert_true(screen->terminal >= 0);
	assert_int_equal(ioctl(screen->terminal, TIOCSWINSZ, &size), 0);
}

static void close_screen(const struct screen *screen)
{
	close(screen->terminal);
	close(screen->master);
}

/* What was written to the terminal since the last call. The kernel hands a
 * terminal's output to the master side some time after the write, and in
 * parts. The reader therefore writes a mark behind it, and reads up to the
 * mark. */
static const char *written(struct screen *screen)
{
	size_t length = 0;

	assert_int_equal(write(screen->terminal, "$", 1), 1);
	do {
		assert_true(length < sizeof(screen->text));
		assert_int_equal(read(screen->master, screen->text + length, 1),
				 1);
	} while (screen->text[length++] != '$');
	screen->text[length - 1] = '\0';
	return screen->text;
}

/* Lets so much time go by since the work began, and since the line was last
 * shown. */
static void let_pass(struct status *status, uint64_t ns)
{
	status->work_began -= ns;
	status->shown -= ns;
}

static void test_work_is_shown_and_erased(void **state)
{
	struct screen screen;
	struct status status;

	(void)state;
	open_screen(&screen, 80);
	status_init(&status, -1, screen.terminal);
	status_work(&status, "making jumps", 0, 9812, "places");
	status_work(&status, "making jumps", 64, 9812, "places");
	assert_string_equal(written(&screen), "");
	let_pass(&status, SECOND);
	status_work(&status, "making jumps", 3400, 9812, "places");
	assert_string_equal(written(&screen),
			    "\r\033[Kmaking jumps: 3,400 of 9,812 places\r");
	/* not so soon again */
	status_work(&status, "making jumps", 3464, 9812, "places");
	assert_string_equal(written(&screen), "");
	let_pass(&status, SECOND);
	status_work(&status, "making jumps", 1003, 1000000, "places");
	assert_string_equal(
		written(&screen),
		"\r\033[Kmaking jumps: 1,003 of 1,000,000 places\r");
	status_work(&status, "making jumps", 1000000, 1000000, "places");
	assert_string_equal(written(&screen), "\r\033[K");
	status_erase(&status);
	assert_string_equal(written(&screen), "");
	close_screen(&screen);
}

static void test_short_work_is_not_shown(void **state)
{
	struct screen screen;
	struct status status;

	(void)state;
	open_screen(&screen, 80);
	status_init(&status, -1, screen.terminal);
	for (int i = 0; i < 3; i++) {
		status_work(&status, "making jumps", 0, 128, "places");
		status_work(&status, "making jumps", 64, 128, "places");
		status_work(&status, "making jumps", 128, 128, "places");
		let_pass(&status, SECOND);
	}
	assert_string_equal(written(&screen), "");
	close_screen(&screen);
}

static void test_lines_are_not_longer_than_the_terminal(void **state)
{
	struct screen screen;
	struct status status;

	(void)state;
	open_screen(&screen, 20);
	status_init(&status, -1, screen.terminal);
	status_work(&status, "making jumps", 0, 128, "places");
	let_pass(&status, SECOND);
	status_work(&status, "making jumps", 64, 128, "places");
	assert_string_equal(written(&screen), "\r\033[Kmaking jumps: 64 of\r");
	close_screen(&screen);
}

static void test_without_a_terminal_nothing_is_shown(void **state)
{
	struct status status;

	(void)state;
	status_init(&status, -1, -1);
	status_work(&status, "making jumps", 0, 128, "places");
	let_pass(&status, SECOND);
	status_work(&status, "making jumps", 64, 128, "places");
	assert_false(status.visible);
	status_erase(&status);
}

/* What the timer finds. */
static struct {
	int terminal;
	unsigned rings;
} stopped;

/* Continues the output of the terminal, at the third ring. */
static void ring(int number)
{
	(void)number;
	if (++stopped.rings == 3)
		tcflow(stopped.terminal, TCOON);
}

static void test_signals_do_not_end_the_wait_for_room(void **state)
{
	static const struct itimerval often = {{0, 5000}, {0, 5000}};
	static const struct itimerval never;
	struct sigaction action = {.sa_handler = ring};
	struct screen screen;
	struct status status;

	(void)state;
	open_screen(&screen, 80);
	status_init(&status, -1, screen.terminal);
	status.visible = true;
	fcntl(screen.terminal, F_SETFL, O_NONBLOCK);
	/* A terminal whose output is stopped has no room. One that was filled
	 * may get room again, when the kernel hands a part to the master side.
	 */
	assert_int_equal(tcflow(screen.terminal, TCOOFF), 0);
	stopped.terminal = screen.terminal;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	status_erase(&status);
	setitimer(ITIMER_REAL, &never, NULL);
	assert_false(status.visible);
	assert_true(stopped.rings >= 3);
	assert_string_equal(written(&screen), "\r\033[K");
	close_screen(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_work_is_shown_and_erased),
		cmocka_unit_test(test_short_work_is_not_shown),
		cmocka_unit_test(test_lines_are_not_longer_than_the_terminal),
		cmocka_unit_test(test_without_a_terminal_nothing_is_shown),
		cmocka_unit_test(test_signals_do_not_end_the_wait_for_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
