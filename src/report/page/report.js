/*
 * report.js - lets the user sort and filter the table of legs, which is
 * complete without it
 */

for (const table of document.querySelectorAll("#legs")) {
	const body = table.tBodies[0];
	const rows = [...body.rows];
	const filter = document.getElementById("filter");
	const valueOf = (row, column) => {
		const cell = row.cells[column];
		return cell.className.startsWith("text") ? cell.textContent
			: "v" in cell.dataset ? Number(cell.dataset.v) : null;
	};
	const order = new SortOrder(() => {
		const column = Number(order.name);
		const values = new Map(rows.map((row) =>
			[row, valueOf(row, column)]));
		rows.sort((a, b) => order.compare(values.get(a), values.get(b)));
		body.replaceChildren(...rows);
	});
	[...table.tHead.rows[0].cells].forEach((head, column) =>
		order.add(String(column), head,
			!head.className.startsWith("text")));
	order.set("2", true); /* the total, as the rows are in the file */
	filter.parentElement.hidden = false;
	filter.addEventListener("input", () => {
		const word = filter.value.toLowerCase();
		let found = 0;
		for (const row of rows) {
			row.hidden = !row.cells[0].textContent.toLowerCase()
				.includes(word);
			found += row.hidden ? 0 : 1;
		}
		document.getElementById("found").textContent = word
			? found + " of " + rows.length : "";
	});
}
