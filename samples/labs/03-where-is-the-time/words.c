/*
 * words.c - counts how often each word of a text occurs
 *
 * The words that were found are in a hash table. Some words are not counted:
 * they are in a list of their own.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 32000, VOCABULARY = 6000, BUCKETS = 512, LONGEST = 128 };

struct word {
	struct word *next;
	unsigned count;
	char text[LONGEST];
};

static struct word *buckets[BUCKETS];
static struct word storage[VOCABULARY];
static unsigned used;
static unsigned char small[256]; /* of each letter the small one */
static uint64_t random_state = 3;

static const char *const left_out[] = {"and", "or", "the", "a", "in", "of"};

static unsigned random_below(unsigned bound)
{
	random_state =
		random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % bound;
}

/* The next word of the text, which is made here instead of being read. */
void next_word(char *word)
{
	unsigned number = random_below(VOCABULARY);

	if (number < 20)
		strcpy(word, left_out[number % 6]);
	else
		snprintf(word, LONGEST,
			 "%s-Time-From-A-Place-In-The-Program-To-Another-"
			 "Place-In-The-Program-Including-The-Time-Of-"
			 "Part-%04u",
			 number % 2 ? "The" : "the", number / 2);
}

/* Are the words the same, whether their letters are large or small? */
bool same_word(const char *a, const char *b)
{
	while (*a && small[(unsigned char)*a] == small[(unsigned char)*b]) {
		a++;
		b++;
	}
	return small[(unsigned char)*a] == small[(unsigned char)*b];
}

bool is_left_out(const char *word)
{
	for (unsigned i = 0; i < 6; i++)
		if (same_word(word, left_out[i]))
			return true;
	return false;
}

unsigned hash(const char *word)
{
	unsigned value = 0;

	for (; *word; word++)
		value += small[(unsigned char)*word];
	return value % BUCKETS;
}

struct word *find_word(const char *text)
{
	struct word **bucket = &buckets[hash(text)], *word;

	for (word = *bucket; word; word = word->next)
		if (same_word(word->text, text))
			return word;
	word = &storage[used++];
	strcpy(word->text, text);
	word->next = *bucket;
	*bucket = word;
	return word;
}

int main(void)
{
	unsigned most = 0;

	for (unsigned i = 0; i < 256; i++)
		small[i] = (unsigned char)tolower((int)i);
	for (unsigned i = 0; i < WORDS; i++) {
		char text[LONGEST];

		next_word(text);
		if (!is_left_out(text))
			find_word(text)->count++;
	}
	for (unsigned i = 1; i < used; i++)
		if (storage[i].count > storage[most].count)
			most = i;
	printf("%u different words; one of them comes %u times.\n", used,
	       storage[most].count);
	return 0;
}
