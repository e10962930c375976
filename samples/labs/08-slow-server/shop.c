/*
 * shop.c - the server of a shop, and its visitors
 *
 *	shop serve SOCKET	serves until it is ended; at most ten minutes
 *	shop visit SOCKET [N]	makes N requests, or goes on until the server
 *ends
 *
 * SOCKET is the name of a file that does not exist yet; through it the visitors
 * reach the server. Two visitors come at a time, and say what they want by a
 * line.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { VISITORS = 2, LONGEST = 600 };

static void wait_us(long us)
{
	const struct timespec time = {.tv_nsec = us * 1000};

	nanosleep(&time, NULL);
}

static __attribute__((noreturn)) void give_up(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- the server ---- */

/* The goods are in the memory, the rest is in a data base. */
void look(unsigned item)
{
	(void)item;
	wait_us(100);
}

void buy(unsigned item)
{
	(void)item;
	wait_us(1200);
}

void find(unsigned item)
{
	wait_us(item % 25 == 7 ? 15000 : 60);
}

void count_stock(unsigned item)
{
	for (unsigned i = 0; i < 4; i++)
		wait_us(100);
	(void)item;
}

void handle(const char *kind, unsigned item)
{
	if (strcmp(kind, "look") == 0)
		look(item);
	else if (strcmp(kind, "buy") == 0)
		buy(item);
	else if (strcmp(kind, "find") == 0)
		find(item);
	else
		count_stock(item);
}

static void *talk(void *connection)
{
	char line[64], kind[16];
	FILE *visitor = connection;
	unsigned item;

	while (fgets(line, sizeof(line), visitor)) {
		if (sscanf(line, "%15s %u", kind, &item) != 2)
			continue;
		handle(kind, item);
		if (dprintf(fileno(visitor), "done\n") < 0)
			break;
	}
	fclose(visitor);
	return NULL;
}

static struct sockaddr_un address_of(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(address.sun_path)) {
		fprintf(stderr, "shop: the name of the socket is too long\n");
		exit(1);
	}
	strcpy(address.sun_path, path);
	return address;
}

static void serve(const char *path)
{
	const struct sockaddr_un address = address_of(path);
	const int door = socket(AF_UNIX, SOCK_STREAM, 0);

	unlink(path);
	if (door < 0 ||
	    bind(door, (const struct sockaddr *)&address, sizeof(address)) ||
	    listen(door, VISITORS) != 0)
		give_up(path);
	/* Where the kernel has the Yama module, a process may be attached to by
	 * those only whom it allows. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	alarm(LONGEST);
	puts("The shop is open.");
	fflush(stdout);
	for (;;) {
		const int connection = accept(door, NULL, NULL);
		FILE *visitor = connection < 0 ? NULL : fdopen(connection, "r");
		pthread_t thread;

		if (!visitor)
			give_up("accept");
		pthread_create(&thread, NULL, talk, visitor);
		pthread_detach(thread);
	}
}

/* ---- the visitors ---- */

struct tour {
	struct sockaddr_un address;
	unsigned most; /* requests; 0: there is no limit */
	atomic_uint begun, made;
};

static const char *wish(unsigned number)
{
	/* of 20 requests, 8 look, 6 find, 4 buy, and 2 count the stock */
	static const char wishes[] = "lflbflcflblflbflcflb";

	switch (wishes[number % 20]) {
	case 'l':
		return "look";
	case 'f':
		return "find";
	case 'b':
		return "buy";
	default:
		return "count";
	}
}

static void *visit(void *argument)
{
	struct tour *tour = argument;
	const int connection = socket(AF_UNIX, SOCK_STREAM, 0);
	unsigned number;
	char answer[64];
	FILE *shop;

	if (connection < 0 ||
	    connect(connection, (const struct sockaddr *)&tour->address,
		    sizeof(tour->address)) != 0)
		give_up(tour->address.sun_path);
	shop = fdopen(connection, "r");
	if (!shop)
		give_up("fdopen");
	while ((number = tour->begun++) < tour->most || tour->most == 0) {
		if (dprintf(connection, "%s %u\n", wish(number),
			    number / 20 * 7 + number % 20) < 0 ||
		    !fgets(answer, sizeof(answer), shop))
			break;
		tour->made++;
	}
	fclose(shop);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct tour tour;
	pthread_t visitors[VISITORS];

	signal(SIGPIPE, SIG_IGN);
	if (argc == 3 && strcmp(argv[1], "serve") == 0)
		serve(argv[2]);
	if (argc < 3 || argc > 4 || strcmp(argv[1], "visit") != 0) {
		fprintf(stderr, "usage: shop serve SOCKET\n"
				"       shop visit SOCKET [N]\n");
		return 2;
	}
	tour.address = address_of(argv[2]);
	tour.most = argc == 4 ? (unsigned)atoi(argv[3]) : 0;
	for (int i = 0; i < VISITORS; i++)
		pthread_create(&visitors[i], NULL, visit, &tour);
	for (int i = 0; i < VISITORS; i++)
		pthread_join(visitors[i], NULL);
	printf("%u requests\n", tour.made);
	return 0;
}
