/*
 * sorting.js - by which column a table is sorted, and in which direction: the
 * heads of the columns become buttons
 */

class SortOrder {
	/* `changed()` is called when the user has chosen another order. */
	constructor(changed) {
		this.changed = changed;
		this.name = null;
		this.descending = true;
		this.heads = new Map();
		this.largestFirst = new Map();
		this.collator = new Intl.Collator();
	}

	/* Makes a button of the head of a column. `largestFirst`: that is the
	 * first order when the user chooses the column. */
	add(name, head, largestFirst) {
		const button = document.createElement("button");
		button.type = "button";
		button.append(...head.childNodes);
		button.addEventListener("click", () => this.choose(name));
		head.append(button);
		this.heads.set(name, head);
		this.largestFirst.set(name, largestFirst);
	}

	choose(name) {
		this.set(name, this.name === name ? !this.descending
			: this.largestFirst.get(name));
		this.changed();
	}

	set(name, descending) {
		this.name = name;
		this.descending = descending;
		for (const [other, head] of this.heads)
			if (other !== name)
				head.removeAttribute("aria-sort");
			else
				head.setAttribute("aria-sort", descending
					? "descending" : "ascending");
	}

	/* Rows without a value (null) come last in both directions. */
	compare(x, y) {
		const sign = this.descending ? -1 : 1;
		if (x === y)
			return 0;
		if (x === null || y === null)
			return x === null ? 1 : -1;
		return sign * (typeof x === "string" ? this.collator.compare(x, y)
			: x - y);
	}
}
