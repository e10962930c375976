/*
 * bank.c - clerks who serve customers, and a bookkeeper
 *
 * To serve a customer, a clerk works out the interest and posts an entry to the
 * ledger, which all clerks share.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { CLERKS = 3, CUSTOMERS = 60, ENTRIES = 4096 };

struct entry {
	unsigned account;
	uint64_t amount;
};

static struct entry entries[ENTRIES];
static unsigned used;
pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t printer = PTHREAD_MUTEX_INITIALIZER;
static atomic_int at_work = CLERKS, is_open;

static void wait_us(long us)
{
	const struct timespec time = {.tv_nsec = us * 1000};

	nanosleep(&time, NULL);
}

/* Works out the interest of an account, day by day. */
uint64_t accrue(unsigned account)
{
	uint64_t cents = 100000 + account;

	for (unsigned day = 0; day < 150000; day++)
		cents += (cents >> 17) + (cents ^ day) % 3;
	return cents;
}

/* Writes an entry. */
void post(unsigned account, uint64_t amount)
{
	pthread_mutex_lock(&ledger);
	entries[used % ENTRIES] = (struct entry){account, amount};
	used++;
	pthread_mutex_unlock(&ledger);
}

/* Prints a receipt: the printer takes its time. */
void print_receipt(void)
{
	pthread_mutex_lock(&printer);
	wait_us(2000);
	pthread_mutex_unlock(&printer);
}

/* The last amount of an account. */
uint64_t look_up(unsigned account)
{
	uint64_t amount = 0;

	pthread_mutex_lock(&ledger);
	for (unsigned i = 0; i < used && i < 64; i++)
		if (entries[i].account == account)
			amount = entries[i].amount;
	pthread_mutex_unlock(&ledger);
	return amount;
}

/* Sends the ledger's last page to the archive, which answers after a while. */
void archive(void)
{
	pthread_mutex_lock(&ledger);
	wait_us(4000);
	pthread_mutex_unlock(&ledger);
}

void serve(unsigned customer)
{
	post(customer, accrue(customer));
}

static void *clerk(void *number)
{
	const unsigned first = (unsigned)(uintptr_t)number * CUSTOMERS;

	for (unsigned i = 0; i < CUSTOMERS; i++)
		serve(first + i);
	at_work--;
	return NULL;
}

static void *bookkeeper(void *unused)
{
	is_open = 1;
	for (unsigned round = 0; at_work; round++) {
		for (unsigned account = 0; account < 20; account++)
			look_up(account);
		archive();
		print_receipt();
	}
	return unused;
}

int main(void)
{
	pthread_t clerks[CLERKS], keeper;

	/* The clerks begin when the bookkeeper is there. */
	pthread_create(&keeper, NULL, bookkeeper, NULL);
	while (!is_open)
		wait_us(100);
	for (uintptr_t i = 0; i < CLERKS; i++)
		pthread_create(&clerks[i], NULL, clerk, (void *)i);
	for (int i = 0; i < CLERKS; i++)
		pthread_join(clerks[i], NULL);
	pthread_join(keeper, NULL);
	printf("%u customers were served.\n", used);
	return 0;
}
