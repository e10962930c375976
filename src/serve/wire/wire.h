/*
 * wire.h - the messages of front ends: their two encodings, and where one
 * message ends and the next begins
 *
 * A front end chooses the encoding by the first byte that it sends: `<` is
 * DyPer's XML, `{` is JSON-RPC 2.0 with one message a line. Both become the
 * same request: an operation by its name in lower case, and its parameters as a
 * JSON object. Replies and notices are JSON values, too. This folder knows
 * nothing of what an operation means.
 *
 * perftool/document.h says how XML becomes JSON, and how JSON becomes XML. JSON
 * has no wrappers: an element that stands around the parameters or around the
 * result only in XML is given to the functions as `wrapper`. A message has the
 * limits of a document.
 */
#ifndef SERVE_WIRE_H
#define SERVE_WIRE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"

enum encoding {
	ENCODING_UNKNOWN, /* the front end has sent nothing yet */
	ENCODING_XML,
	ENCODING_JSON,
};

/* Codes of errors in replies. The codes are those of JSON-RPC 2.0, and XML
 * replies have the same. */
enum wire_code {
	WIRE_CODE_PARSE = -32700,
	WIRE_CODE_INVALID = -32600,
	WIRE_CODE_UNKNOWN = -32601,
	WIRE_CODE_PARAMETERS = -32602,
	WIRE_CODE_FAILED = -32000,
};

/* What a front end has sent. */
struct request {
	enum request_kind {
		/* an operation that must be carried out */
		REQUEST_OPERATION,
		/* the front end answers a message of the tool */
		REQUEST_ANSWER,
		/* the message is wrong: `code` and `problem` say why */
		REQUEST_WRONG,
	} kind;
	/* the name of the operation: in XML in lower case, and as it was
	 * written (JSON: NULL) */
	char *operation, *written;
	/* REQUEST_ANSWER: the front end has carried out what it was asked for,
	 * and does not report an error */
	bool is_success;
	/* XML: the message was a DYPATCH, so the reply is a DYPATCH_REPLY */
	bool is_patch;
	/* the process that the message names; 0: it names none; -1: none that
	 * there is */
	pid_t pid;
	struct json_object *params; /* an object */
	/* JSON: the member `id`; NULL means null. `is_notification`: there is
	 * no such member, and the front end wants no reply. */
	struct json_object *id;
	bool is_notification;
	enum wire_code code;
	char *problem;
	/* The reader cannot tell where the next message begins, so that the
	 * connection must be closed after the reply. */
	bool is_last;
};
void request_deinit(struct request *request);

struct wire;
struct wire *wire_create(void);
void wire_destroy(struct wire *wire);

/* Returns the encoding that the front end has chosen. */
enum encoding wire_encoding(const struct wire *wire);

/* Gives bytes that the front end has sent to the reader. */
void wire_push(struct wire *wire, const char *bytes, size_t length);

/* Takes the next whole message. Returns false if there is none yet. The caller
 * calls request_deinit(). After a request with `is_last`, the function returns
 * false for ever. */
bool wire_next(struct wire *wire, struct request *out);

/* If parameters are in one wrapper of this name, takes them out of it. JSON
 * requests have no wrapper, and stay as they are. `wrapper` may be NULL. */
void request_unwrap(struct request *request, const char *wrapper);

/* Writes the reply to a request, as one message of its encoding. `result` may
 * be NULL: a reply without data. In XML, `wrapper` (or NULL) is the element
 * around the result. The functions append nothing if the request wants no
 * reply. */
void wire_reply(const struct wire *wire, const struct request *request,
		pid_t pid, struct json_object *result, const char *wrapper,
		struct str *out);
void wire_fail(const struct wire *wire, const struct request *request,
	       pid_t pid, enum wire_code code, const char *text,
	       struct str *out);

/* A message that the tool sends by itself. */
struct notice {
	/* the name: "start", "end", "report" or "dump" */
	const char *name;
	pid_t pid;
	/* when it was sent, in ms of the machine's clock since 1970; 0: the
	 * message does not say */
	int64_t time;
	/* what it says, or NULL; the caller keeps it */
	struct json_object *data;
	const char *wrapper;
	/* JSON: the message is a request with this id, which the front end
	 * answers; 0: it is a notification */
	int id;
};
void wire_notice(const struct wire *wire, const struct notice *notice,
		 struct str *out);

#endif
