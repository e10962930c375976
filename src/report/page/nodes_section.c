/*
 * nodes_section.c - the nodes and the settings of the report page
 */
#include <inttypes.h>

#include "page.h"
#include "perftool/base/path.h"
#include "report/figures/figures.h"

static bool is_reached(const struct report_node *node)
{
	return node->stats->count || node->stats->errors;
}

/* ---- a row ----------------------------------------------------------------
 */

static void put_place(const struct report_node *node, struct str *out)
{
	html_name(node->place      ? node->place
		  : node->location ? node->location
				   : "",
		  120, out);
	if (node->condition) {
		str_append(out, node->only_names ? " names " : " if ");
		html_name(node->condition, 100, out);
	}
	if (node->stats->deleted)
		str_append(out, " (deleted)");
	else if (node->is_out)
		str_append(out, " (taken out)");
}

static void put_source(const struct report_node *node, struct str *out)
{
	if (node->file && node->line) {
		html_name(path_file_name(node->file), 60, out);
		str_printf(out, ":%u", node->line);
	} else if (node->address_count) {
		if (node->module)
			html_name(node->module, 60, out);
		str_printf(out, " 0x%" PRIx64,
			   node->addresses[0] - node->load_bias);
	}
}

static void put_errors(const struct report_node *node, struct str *out)
{
	if (!node->stats->errors)
		return;
	str_append(out, "<br/>");
	html_count(node->stats->errors, "error", out);
	str_append(out, ": ");
	html_name(node->stats->first_error ? node->stats->first_error : "", 200,
		  out);
}

static void put_node(const struct report_node *node, struct str *out)
{
	str_printf(out, "<tr><td>%u</td><td>", node->stats->id);
	put_place(node, out);
	put_errors(node, out);
	str_append(out, "</td><td>");
	put_source(node, out);
	str_append(out, "</td><td>");
	report_number((__int128)node->stats->count, out);
	str_append(out, "</td><td>");
	str_append(out, node->mechanism ? node->mechanism : "\xe2\x80\x93");
	if (node->int3_reason) {
		str_append(out, ": ");
		html_name(node->int3_reason, 120, out);
	}
	str_printf(out, "</td><td>%s</td></tr>\n",
		   node->made_by ? node->made_by : "user");
}

/* ---- the section ----------------------------------------------------------
 */

static void put_left_out(size_t unreached, size_t beyond, struct str *out)
{
	if (unreached) {
		str_append(out, "<p class=\"hint\">Left out: ");
		html_count(unreached, "node", out);
		str_append(out, " that no thread has reached.</p>\n");
	}
	if (beyond) {
		str_append(out, "<p class=\"hint\">");
		html_count(beyond, "further node", out);
		str_append(out, " are not shown; <code>save tables FILE.json"
				"</code> has all of them.</p>\n");
	}
}

static void put_splits(const struct tables *tables, struct str *out)
{
	for (size_t i = 0; i < tables->node_count; i++) {
		const struct report_node *node = &tables->nodes[i];

		if (!node->stats->split)
			continue;
		str_printf(out, "<article><h3>Node %u: ", node->stats->id);
		html_name(node->place ? node->place : "", 200, out);
		str_append(out, "</h3>\n");
		split_table(NULL, node, out);
		str_append(out, "</article>\n");
	}
}

void nodes_section(const struct report_page *page, struct str *out)
{
	const struct tables *tables = page->tables;
	size_t shown = 0, unreached = 0, beyond = 0;

	if (!tables->node_count)
		return;
	str_append(out, "<section id=\"all-nodes\"><h2>Nodes</h2>\n<p "
			"class=\"hint\">A node is "
			"a place in the program at which arrivals were "
			"counted.</p>\n<div class=\"wide\"><table "
			"id=\"nodes\"><thead><tr>"
			"<th>Node</th><th>Place</th>"
			"<th>Source</th><th>Count</th>"
			"<th>Mechanism</th>"
			"<th>Made by</th>"
			"</tr></thead><tbody>\n");
	for (size_t i = 0; i < tables->node_count; i++) {
		const struct report_node *node = &tables->nodes[i];

		if (!is_reached(node)) {
			unreached++;
		} else if (shown < PAGE_NODES) {
			put_node(node, out);
			shown++;
		} else {
			beyond++;
		}
	}
	str_append(out, "</tbody></table></div>\n");
	put_left_out(unreached, beyond, out);
	put_splits(tables, out);
	str_append(out, "</section>\n");
}

/* ---- settings -------------------------------------------------------------
 */

void settings_section(const struct report_page *page, struct str *out)
{
	const struct tables *tables = page->tables;

	if (page->command && *page->command) {
		str_append(out, "<section><h2>The command</h2>\n<pre>");
		html_block(page->command, out);
		str_append(out, "</pre></section>\n");
	}
	if (!tables->setting_count)
		return;
	str_append(out, "<section id=\"settings\"><h2>Settings</h2>\n<dl "
			"class=\"settings\">");
	for (size_t i = 0; i < tables->setting_count; i++) {
		str_append(out, "<div><dt>");
		html_text(tables->settings[i].name, out);
		str_append(out, "</dt><dd>");
		html_name(tables->settings[i].value ? tables->settings[i].value
						    : "",
			  80, out);
		str_append(out, "</dd></div>\n");
	}
	str_append(out, "</dl></section>\n");
}
