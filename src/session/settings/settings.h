/*
 * settings.h - the table of settings, and how the text of a value is read and
 * written
 *
 * This folder uses names.
 */
#ifndef SESSION_SETTINGS_H
#define SESSION_SETTINGS_H

#include "perftool/session/session_settings.h"
#include "session/session_state.h"

/* All settings that `show` shows. The last entry has the name NULL. */
extern const struct session_setting session_settings[];

/* Gives every setting its initial value. */
void settings_begin(struct session *session);

/* Appends the value of a setting, for the user. */
void setting_value(struct session *session,
		   const struct session_setting *setting, struct str *out);

/* setting_parse() converts the text that the user has typed to a value.
 * setting_append() appends the text that the user would type for a value.
 * Neither function can be used for a SETTING_TEXT. */
struct error *setting_parse(const struct session_setting *setting,
			    const char *text, int64_t *out);
void setting_append(const struct session_setting *setting, int64_t value,
		    struct str *out);

/* Converts the word after `mechanism=` to a mechanism. The words are those of
 * the setting `mechanism`. */
struct error *find_mechanism(const char *name, enum mechanism *out);

#endif
