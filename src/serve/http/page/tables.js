/*
 * tables.js - a table whose columns sort it, and whose rows stay the same
 * elements while their cells change
 *
 * Tab reaches one row and its button; the arrow keys move to the other rows.
 *
 * A column is {name, title, text (left-aligned), value(row), show(row),
 * draw(cell, row), spare (left out on narrow screens), least (sorted ascending
 * first)}. `show` makes the text of the cell, or `draw` draws into it.
 */

/* More rows than this are not shown: the filter finds the others. */
const MOST_ROWS = 200;

class SortedTable {
	/* `options`: {label, columns, order (the column that sorts at first),
	 * keyOf(row), labelOf(row), choose(key) or null, remove(row) or null,
	 * isDeleted(row)} */
	constructor(table, options) {
		this.table = table;
		this.options = options;
		this.rows = [];
		this.lines = new Map();
		this.chosen = this.current = null;
		this.build();
	}

	build() {
		const caption = this.table.createCaption();
		const head = this.table.createTHead().insertRow();
		this.body = this.table.createTBody();
		caption.hidden = true;
		this.table.setAttribute("aria-label", this.options.label);
		this.sorting = new SortOrder(() => this.show());
		for (const column of this.options.columns) {
			const cell = document.createElement("th");
			cell.scope = "col";
			cell.className = this.classOf(column);
			cell.textContent = column.title;
			if (column.value)
				this.sorting.add(column.name, cell, !column.text);
			head.append(cell);
		}
		if (this.options.remove) {
			const cell = document.createElement("th");
			const title = document.createElement("span");
			cell.scope = "col";
			title.className = "unseen";
			title.textContent = "Remove";
			cell.append(title);
			head.append(cell);
		}
		this.sorting.set(this.options.order, true);
		/* One listener for all rows, so that rows come and go without. */
		this.body.addEventListener("click", (event) => {
			const line = event.target.closest("tr");
			if (event.target.closest("button"))
				this.options.remove(line.row);
			else if (this.options.choose)
				this.options.choose(line.key);
		});
		this.body.addEventListener("keydown", (event) => this.onKey(event));
		this.body.addEventListener("focusin", (event) => {
			this.current = event.target.closest("tr").key;
			this.rove();
		});
	}

	classOf(column) {
		return [column.text ? "text" : "", column.spare ? "spare" : ""]
			.join(" ").trim();
	}

	onKey(event) {
		const line = event.target;
		if (line.localName !== "tr")
			return;
		if (event.key === "Enter" || event.key === " ")
			this.options.choose && this.options.choose(line.key);
		else if (event.key === "Delete" && this.options.remove)
			this.options.remove(line.row);
		else if (event.key === "ArrowDown" && line.nextElementSibling)
			line.nextElementSibling.focus();
		else if (event.key === "ArrowUp" && line.previousElementSibling)
			line.previousElementSibling.focus();
		else
			return;
		event.preventDefault();
	}

	column(name) {
		return this.options.columns.find((column) => column.name === name);
	}

	compare(a, b) {
		const {value} = this.column(this.sorting.name);
		return this.sorting.compare(value(a), value(b)) ||
			this.options.keyOf(a) - this.options.keyOf(b);
	}

	update(rows) {
		this.rows = rows;
		this.show();
	}

	choose(key) {
		this.chosen = key;
		for (const line of this.lines.values())
			this.showChosen(line);
	}

	showChosen(line) {
		if (!this.options.choose)
			return;
		const chosen = String(line.key === this.chosen);
		if (line.getAttribute("aria-current") !== chosen)
			line.setAttribute("aria-current", chosen);
	}

	show() {
		const sorted = [...this.rows].sort((a, b) => this.compare(a, b))
			.slice(0, MOST_ROWS);
		const keys = new Set(sorted.map(this.options.keyOf));
		const focused = this.body.contains(document.activeElement)
			? document.activeElement : null;
		for (const [key, line] of this.lines)
			if (!keys.has(key)) {
				line.remove();
				this.lines.delete(key);
			}
		let at = this.body.firstElementChild;
		for (const row of sorted) {
			const line = this.lineOf(row);
			if (line === at)
				at = at.nextElementSibling;
			else
				this.body.insertBefore(line, at);
			this.fill(line, row);
		}
		this.rove();
		/* A line that was moved has lost the focus. */
		if (focused && focused.isConnected &&
			focused !== document.activeElement)
			focused.focus({preventScroll: true});
	}

	rove() {
		const current = this.lines.get(this.current) ||
			this.body.firstElementChild;
		for (const line of this.lines.values()) {
			const index = line === current ? 0 : -1;
			if (line.tabIndex === index)
				continue;
			line.tabIndex = index;
			if (this.options.remove)
				line.lastElementChild.firstElementChild.tabIndex =
					index;
		}
	}

	lineOf(row) {
		const key = this.options.keyOf(row);
		let line = this.lines.get(key);
		if (line)
			return line;
		line = document.createElement("tr");
		line.key = key;
		line.tabIndex = -1;
		line.dataset.key = key;
		if (this.options.choose)
			line.className = "choosable";
		for (const column of this.options.columns) {
			const cell = line.insertCell();
			cell.className = this.classOf(column);
		}
		if (this.options.remove) {
			const button = document.createElement("button");
			button.type = "button";
			button.textContent = "\u2715";
			button.tabIndex = -1;
			line.insertCell().append(button);
		}
		this.lines.set(key, line);
		return line;
	}

	fill(line, row) {
		const deleted = this.options.isDeleted(row);
		line.row = row;
		line.classList.toggle("deleted", deleted);
		this.showChosen(line);
		this.options.columns.forEach((column, i) => {
			const cell = line.cells[i];
			if (column.draw)
				column.draw(cell, row);
			else if (cell.textContent !== column.show(row))
				cell.textContent = column.show(row);
		});
		if (this.options.remove) {
			const button = line.lastElementChild.firstElementChild;
			const label = "Remove " + this.options.labelOf(row);
			button.hidden = deleted;
			if (button.getAttribute("aria-label") !== label)
				button.setAttribute("aria-label", label);
		}
	}
}
