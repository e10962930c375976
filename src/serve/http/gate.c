/*
 * gate.c - see gate.h
 */
#include "gate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "perftool/base/str.h"

struct error *gate_make_secret(char *out, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char byte;

	for (size_t i = 0; i < length; i += 2) {
		if (getrandom(&byte, 1, 0) != 1)
			return error_system(errno, "cannot get random numbers");
		out[i] = digits[byte >> 4];
		out[i + 1] = digits[byte & 15];
	}
	out[length] = '\0';
	return NULL;
}

/* Compares all characters also if the first ones differ, so that the time does
 * not tell how many of them are right. */
static bool is_secret(const char *secret, const char *text)
{
	unsigned difference = 0;

	if (!text || strlen(text) != TOKEN_LENGTH)
		return false;
	for (size_t i = 0; i < TOKEN_LENGTH; i++)
		difference |= (unsigned char)(text[i] ^ secret[i]);
	return difference == 0;
}

/* Is the text, after `prefix`, one of the names of this server? */
static bool is_ours(const struct gate *gate, const char *prefix,
		    const char *text)
{
	static const char *const names[] = {"127.0.0.1", "localhost"};
	char wanted[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(wanted, sizeof(wanted), "%s%s:%u", prefix, names[i],
			 (unsigned)gate->port);
		if (strcasecmp(text, wanted) == 0)
			return true;
	}
	return false;
}

static bool is_json(const char *type)
{
	static const char name[] = "application/json";
	size_t length = sizeof(name) - 1;

	return type && strncasecmp(type, name, length) == 0 &&
	       (!type[length] || type[length] == ';' || type[length] == ' ');
}

static unsigned refuse(unsigned status, const char *text, const char **why)
{
	*why = text;
	return status;
}

static unsigned check_message(const struct visit *visit, const char **why)
{
	if (!str_equal(visit->method, "POST"))
		return refuse(405, "a message is sent by POST", why);
	if (visit->site && !str_equal(visit->site, "same-origin") &&
	    !str_equal(visit->site, "none"))
		return refuse(403, "the request comes from another page", why);
	if (!is_json(visit->type))
		return refuse(415,
			      "a message has the Content-Type application/json",
			      why);
	return 200;
}

unsigned gate_check(const struct gate *gate, const struct visit *visit,
		    const char **why)
{
	if (!visit->host || !is_ours(gate, "", visit->host))
		return refuse(403,
			      "the Host is not 127.0.0.1: open the address "
			      "that perftool has printed",
			      why);
	if (visit->origin && !is_ours(gate, "http://", visit->origin))
		return refuse(403, "the request comes from another page", why);
	if (str_equal(visit->method, "GET") && str_equal(visit->path, "/") &&
	    is_secret(gate->token, visit->token))
		return 303;
	if (!is_secret(gate->key, visit->key))
		return refuse(403,
			      "the token is missing, wrong, or was used: open "
			      "the address that `perftool who' prints now",
			      why);
	if (str_equal(visit->path, "/rpc"))
		return check_message(visit, why);
	if (!str_equal(visit->path, "/"))
		return refuse(404, "there is only the page, which is /", why);
	if (!str_equal(visit->method, "GET"))
		return refuse(405, "the page is read by GET", why);
	return 200;
}
