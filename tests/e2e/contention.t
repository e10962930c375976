#!/usr/bin/env bash
# `set contention on' records who waits for which lock, and who holds it
# meanwhile. tests/programs/convoy.c knows how long its threads have waited.
# tier: core
# covers: session/profiling probe/request profile report/listings
. "$(dirname "$0")/../lib.sh"

convoy=$PROGRAMS/convoy

# waits KIND [ROUNDS [WORKERS]]: measures the program by ${MECHANISM:-auto}
waits() {
	PENDING='' batch 'set contention on' -- "$convoy" "$@"
}

# locks EXPRESSION: evaluates it, and prints it as Python does; lock(NAME) is the
# row of a lock; within(TIME, LEAST, MOST) allows for errors of measurement
locks() {
	json "(lambda lock, within: str(($1)))(
		lambda name: one(x for x in t['contention']['locks'] if x['lock'] == name),
		lambda time, least, most:
			0.9 * least - 2000000 <= time <= 1.1 * most + 2000000)"
}

# sums NAME: are the sums of the waiters those of the lock?
sums() {
	locks "[sum(w[f] for w in lock('$1')['waiters']) == lock('$1')[f]
		for f in ('waits', 'total_ns')]"
}

# ---- each kind of lock, by jumps and by int3s ----
for MECHANISM in auto int3; do
	for kind in mutex recursive timed read write; do
		case $kind in
		read | write) lock=table ;;
		*) lock=ledger ;;
		esac
		waits $kind 12 3
		is "$status" 0 "$MECHANISM, $kind: the program ends as ever"
		# A thread that was woken too late sleeps again.
		is "$(locks "36 <= lock('$lock')['waits'] <= 50")" True \
			"$MECHANISM, $kind: each worker waits in each round"
		is "$(locks "within(lock('$lock')['total_ns'],
			3 * $(own held), $(own waited))")" True \
			"$MECHANISM, $kind: they wait as long as they say"
		is "$(sums $lock)" '[True, True]' \
			"$MECHANISM, $kind: the waits of the threads add up"
		is "$(locks "sorted({(w['thread'], w['function'], w['file'])
			for w in lock('$lock')['waiters']})")" \
			"[('clerk 0', 'take', 'convoy.c'), ('clerk 1', 'take', 'convoy.c'), ('clerk 2', 'take', 'convoy.c')]" \
			"$MECHANISM, $kind: who has waited, and where"
		# A worker may have held it for long, too, if it had no processor.
		is "$(locks "[(h['waits'] >= 36, h['blocked_ns'] >= 0.9 * $(own held))
			for h in lock('$lock')['holders'] if h['tid'] == $(own pid)]")" \
			'[(True, True)]' \
			"$MECHANISM, $kind: the main thread held it meanwhile"
	done
done
unset MECHANISM
for kind in mutex recursive timed; do
	waits $kind 5 2
	is "$(locks "lock('ledger')['holders'][0]['function']")" hold \
		"$kind: in which function"
done
waits write 5 2
is "$(locks "lock('table')['kind'],
	sorted({w['for'] for w in lock('table')['waiters']})")" \
	"('rwlock', ['write'])" 'a read-write lock, for writing'
waits read 5 2
is "$(locks "sorted({w['for'] for w in lock('table')['waiters']})")" "['read']" \
	'and for reading'

# ---- a condition takes its mutex again ----
waits relock 12 3
is "$(locks "[(w['for'], w['function']) for w in lock('ledger')['waiters']][0]")" \
	"('relock', 'await_payment')" 'a wait for a condition waits for its mutex'
is "$(locks "within(lock('ledger')['total_ns'], 0, $(own waited))")" True \
	'for how long'
is "$(locks "lock('ledger')['holders'][0]['function']")" pay 'and who has it'
is "$(locks "lock('paid')['kind'], lock('paid')['holders'],
	sorted({w['for'] for w in lock('paid')['waiters']})")" \
	"('condition', [], ['signal'])" 'nobody holds the condition'
is "$(locks "[x['lock'] for x in t['contention']['locks']][-1]")" paid \
	'what nobody can hold comes last'

# ---- several locks ----
waits static 12 2
is "$(locks "[lock(n)['waits'] for n in ('ledger', 'journal')]")" '[16, 8]' \
	'locks are apart, by the names of their variables'
is "$(json 't["settings"]["contention"]')" on 'it is a setting'

# ---- text, CSV, and what is not there ----
try perftool -q -n -e 'set contention on' -e run -e 'print contention' \
	-e 'print contention top=1' -e 'set format csv' -e 'print contention' \
	"$convoy" static 6 2
is "$status" 0 'print contention'
like "$out" '12 waits for 2 locks took' 'a line says how many waits there were'
like "$out" 'ledger +clerk 0 [0-9]+ +lock +4 .* take, convoy.c:[0-9]+' 'who waited'
like "$out" 'ledger +convoy [0-9]+ +8 +4 .* hold' 'who held it'
# Whose waits took longer, the machine decides.
is "$(grep -c '^ledger .*mutex' <<<"$out")$(grep -c '^journal .*mutex' <<<"$out")" \
	"$(if grep '^\(ledger\|journal\) .*mutex' <<<"$out" | head -n 1 | grep -q ledger; then
		echo 21
	else
		echo 12
	fi)" 'top=1 leaves out the lock that comes second'
is "$(grep -c '^journal,.*,mutex,[0-9]*,waiter,' <<<"$out")" 2 'CSV has a row for each thread'
fails_with 125 'set contention on. records them' 'without the setting there is no report' \
	perftool -n -q -b -e 'print contention' "$convoy" mutex 1
try perftool -q -n -b -e 'set contention on' "$convoy" mutex 2
like "$err" 'C O N T E N T I O N' 'batch mode prints it at the end'
unlike "$err" 'L E G' 'and no empty tables'
try perftool -q -n -b -f csv -o report.csv -e 'set contention on' "$convoy" mutex 2
like "$(head -n 2 report-contention.csv)" 'lock,address.*ledger,' 'as CSV it is a file of its own'
try perftool -q -n -b -f json -o t.json -e 'set contention on' -e 'set contention off' \
	"$convoy" mutex 2
is "$(locks 't["contention"]["locks"]')" '[]' 'off: nothing is recorded'
try perftool -q -n -b -f json -o t.json -t hold "$convoy" mutex 2
is "$(json '"contention" in t')" False 'if it was never on, no report has it'

# ---- children, and programs that run already ----
cat >both.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
pthread_mutex_t shelf = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static void *visit(void *unused)
{
	(void)unused;
	ready = 1;
	pthread_mutex_lock(&shelf);
	pthread_mutex_unlock(&shelf);
	return NULL;
}
static void open_shelf(void)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	pthread_t thread;
	char path[64], line[256] = "";
	pthread_mutex_lock(&shelf);
	ready = 0;
	pthread_create(&thread, NULL, visit, NULL);
	while (!ready)
		nanosleep(&nap, NULL);
	for (int i = 0; i < 20; i++)
		nanosleep(&nap, NULL);
	pthread_mutex_unlock(&shelf);
	pthread_join(thread, NULL);
	(void)path, (void)line;
}
int main(int argc, char **argv)
{
	char byte;
	(void)argv;
	if (argc > 1) {
		puts("up");
		fflush(stdout);
		while (read(0, &byte, 1) == 1) {
			open_shelf();
			puts("done");
			fflush(stdout);
		}
		return 0;
	}
	if (fork() == 0) {
		open_shelf();
		return 0;
	}
	open_shelf();
	wait(NULL);
	return 0;
}
END
"${CC:-cc}" -g -O1 -pthread -o both both.c
try perftool -q -n -b -f json -o t.json -e 'set contention on' ./both
is "$(locks '[(x["lock"], x["waits"]) for x in t["contention"]["locks"]],
	len({x["pid"] for x in t["contention"]["locks"]})')" \
	"([('shelf', 1), ('shelf', 1)], 2)" 'parent and child have a lock each'
serve ./both wait
is "$reply" up 'a program runs'
attach_told -n -q >said 2>&1
tell 'set contention on'
printf x >&3
hear
printf x >&3
hear
tell 'print contention' 'set contention off'
printf x >&3
hear
tell 'print contention' detach
is "$(grep -c '^shelf .*mutex  *2 ' said)" 2 'attached: its waits are recorded until off'
like "$(cat said)" 'shelf +both [0-9]+ +2 +2 .* open_shelf' 'with the holder'
exec 3>&-
wait "$server"

# ---- C++ ----
cat >account.cc <<'END'
#include <atomic>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
struct account {
	std::mutex lock;
	std::shared_mutex shared;
	__attribute__((noinline)) void pay(int ms) {
		std::lock_guard<std::mutex> guard(lock);
		std::this_thread::sleep_for(std::chrono::milliseconds(ms));
	}
	__attribute__((noinline)) void look(int ms) {
		std::unique_lock<std::shared_mutex> guard(shared);
		std::this_thread::sleep_for(std::chrono::milliseconds(ms));
	}
};
static account ours;
static std::atomic<bool> begins;
int main()
{
	std::thread other;
	{
		std::lock_guard<std::mutex> guard(ours.lock);
		std::unique_lock<std::shared_mutex> shared(ours.shared);
		other = std::thread([] { begins = true; ours.pay(0); ours.look(0); });
		while (!begins)
			std::this_thread::yield();
		std::this_thread::sleep_for(std::chrono::milliseconds(20));
	}
	other.join();
}
END
"${CXX:-c++}" -g -O2 -std=c++17 -pthread -o account account.cc
try perftool -q -n -b -f json -o t.json -e 'set contention on' ./account
is "$(locks 'sorted((x["kind"], x["lock"].split("+")[0], x["waiters"][0]["function"])
	for x in t["contention"]["locks"])[0]')" "('mutex', 'ours', 'account::pay')" \
	'std::mutex is a mutex, and the function is that of the program'

# ---- semaphores ----
cat >sem.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>
static sem_t bell;
static atomic_int comes;
static void *listen(void *unused)
{
	(void)unused;
	comes = 1;
	sem_wait(&bell);
	return NULL;
}
int main(void)
{
	pthread_t thread;
	sem_init(&bell, 0, 0);
	pthread_create(&thread, NULL, listen, NULL);
	while (!comes)
		usleep(100);
	usleep(20000);
	sem_post(&bell);
	pthread_join(thread, NULL);
	return 0;
}
END
"${CC:-cc}" -g -O1 -pthread -o sem sem.c
try perftool -q -n -b -f json -o t.json -e 'set contention on' ./sem
is "$(locks "lock('bell')['kind'], lock('bell')['waits'],
	lock('bell')['waiters'][0]['function'], lock('bell')['holders']")" \
	"('semaphore', 1, 'listen', [])" 'a wait for a semaphore'

# ---- threads come and go ----
cat >crowd.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static volatile long sum;
static void *pass(void *unused)
{
	(void)unused;
	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&gate);
		usleep(10);
		sum++;
		pthread_mutex_unlock(&gate);
	}
	return NULL;
}
int main(void)
{
	pthread_t threads[4];
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, pass, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	}
	printf("sum %ld\n", sum);
	return 0;
}
END
"${CC:-cc}" -g -O1 -pthread -o crowd crowd.c
for mechanism in auto int3; do
	try perftool -q -n -b -f json -o t.json -e "set mechanism $mechanism" \
		-e 'set contention on' ./crowd
	is "$status $(own sum)" '0 4000' "$mechanism: 80 threads, one after the other"
	is "$(locks "len({w['tid'] for w in lock('gate')['waiters']}) > 20 and
		all(w['function'] == 'pass' for w in lock('gate')['waiters'])")" True \
		"$mechanism: each thread that waits has a row"
	is "$(sums gate) $(json 't["contention"]["open"]')" '[True, True] 0' \
		"$mechanism: all waits end, and add up"
	is "$(locks "0 < sum(h['blocked_ns'] for h in lock('gate')['holders'])
		<= lock('gate')['total_ns']")" True \
		"$mechanism: the time for which the lock was held is in the waits"
done

# ---- the tables of a file have them, and so has the object of the library ----
try perftool -q -n -e 'save tables before.json' -e 'set contention on' -e run \
	-e 'save tables t.json' -e 'save tables t.csv' -e 'set format json' \
	-e 'print tables > printed.json' -e 'print contention > alone.json' \
	"$convoy" mutex 5 2
is "$(/usr/bin/python3 -c 'import json
before, saved, printed, alone = (json.load(open(f + ".json"))
                                 for f in ("before", "t", "printed", "alone"))
print("contention" in before, saved["contention"] == printed["contention"] == alone,
      [(l["lock"], l["waits"] >= 10) for l in saved["contention"]["locks"]])')" \
	"False True [('ledger', True)]" 'save tables has the waits, if they were recorded'
is "$(/usr/bin/python3 -c 'import csv
print({(r["lock"], r["role"]) for r in csv.DictReader(open("t-contention.csv"))} ==
      {("ledger", "waiter"), ("ledger", "holder")})')" True \
	'and so it has as CSV, in a file of its own'
PYTHONPATH=$ROOT/src/library/python LIBPERFTOOL=$BUILD/libperftool.so.0 \
	/usr/bin/python3 - "$convoy" >library.txt <<'END'
import sys, perftool
session = perftool.Session()
session.launch(sys.argv[1], "mutex", "5", "2")
print("contention" in session.tables())
session.command("set contention on")
session.run()
print([l["lock"] for l in session.tables()["contention"]["locks"]])
END
is "$(grep -v '^[a-z]' library.txt)" "False
['ledger']" 'a session of the library, too'

# ---- names of threads that live: each waits for two locks ----
PYTHONPATH=$ROOT/src/library/python LIBPERFTOOL=$BUILD/libperftool.so.0 \
	/usr/bin/python3 - "$convoy" >library.txt <<'END'
import sys, perftool
session = perftool.Session()
session.launch(sys.argv[1], "static", "1000000", "3")
session.command("set contention on")
locks = []
while len(locks) < 2 or min(lock["waits"] for lock in locks) < 20:
    session.run(0.1)
    locks = session.tables()["contention"]["locks"]
named = {}
for lock in locks:
    for thread in lock["waiters"] + lock["holders"]:
        with open(f"/proc/{session.pid}/task/{thread['tid']}/comm") as comm:
            named.setdefault(comm.read().strip(), set()).add(thread["thread"])
print(len(named) == 4 and all(names == {name} for name, names in named.items()), named)
END
like "$(cat library.txt)" '^True' 'each thread has its own name in all rows'
done_testing
