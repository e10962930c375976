/*
 * live.js - asks perftool for its figures about once a second, shows them, and
 * gives it commands
 *
 * While the page is hidden, it does not ask. It keeps at most MOST_POINTS
 * points of time of each leg.
 */

const INTERVAL = 1000; /* ms */
/* The page waits at least so many times as long as the last reply took, so that
 * replies take perftool at most a twentieth of its time. */
const PAUSE = 20;
const PATIENCE = 15000; /* ms */
const MOST_POINTS = 300;
const SPARK_POINTS = 60;
/* The samples are asked for with every so many reports. */
const SAMPLES_EVERY = 5;

const element = (id) => document.getElementById(id);

/* perftool has refused something. */
class Problem extends Error {}
/* perftool is not there any more. */
class Gone extends Error {}

/* ---- messages -------------------------------------------------------------- */

class Connection {
	constructor() {
		this.id = 0;
	}

	/* Calls an operation, and returns its result. */
	async call(method, params = {}) {
		const reply = await this.post({jsonrpc: "2.0", id: ++this.id, method,
			params});
		if (reply && reply.error)
			throw new Problem(reply.error.message);
		return reply ? reply.result : null;
	}

	async post(message) {
		const stop = new AbortController();
		const timer = setTimeout(() => stop.abort(), PATIENCE);
		let status, text;
		try {
			const reply = await fetch("/rpc", {method: "POST",
				headers: {"Content-Type": "application/json"},
				body: JSON.stringify(message), signal: stop.signal});
			status = reply.status;
			text = await reply.text();
		} catch (error) {
			if (error.name === "AbortError")
				throw new Problem("perftool has not answered within " +
					PATIENCE / 1000 + " seconds.");
			throw new Gone();
		} finally {
			clearTimeout(timer);
		}
		if (status >= 400)
			throw new Problem(text);
		return status === 204 ? null : JSON.parse(text);
	}
}

/* ---- what was counted so far ------------------------------------------------ */

/* The last MOST_POINTS points of each leg or node. */
class Histories {
	constructor() {
		this.all = new Map();
	}

	/* `rows`: {key, count, total}; `time` in ms */
	add(rows, time) {
		const present = new Set(rows.map((row) => row.key));
		for (const key of this.all.keys())
			if (!present.has(key))
				this.all.delete(key);
		for (const row of rows)
			this.addRow(row, time);
	}

	addRow({key, count, total}, time) {
		const last = this.all.get(key);
		/* after a `zero tables` the counts begin anew */
		if (last && time > last.time && count >= last.count) {
			const more = count - last.count;
			last.points.push({time,
				rate: more * 1000 / (time - last.time),
				/* (The signed sum of short times may become less.) */
				mean: more && total !== null
					? Math.max(0, (total - last.total) / more)
					: null});
			if (last.points.length > MOST_POINTS)
				last.points.shift();
		}
		const points = last ? last.points : [];
		this.all.set(key, {time, count, total, points});
	}

	points(key) {
		const history = this.all.get(key);
		return history ? history.points : [];
	}

	rate(key) {
		const points = this.points(key);
		return points.length ? points[points.length - 1].rate : null;
	}
}

/* The total and the mean of a leg as the tables show them: if they are smaller
 * than what is known of the cost of hits, only a bound is shown. */
function totalText(leg) {
	const bound = number(leg.total_bound_ns);
	return bound === null ? timeText(number(leg.total_ns)) : boundText(bound);
}

function meanText(leg) {
	return leg.below_resolution ? boundText(number(leg.resolution_ns))
		: timeText(number(leg.mean_ns));
}

function boundText(ns) {
	return "< " + (ns < 10 ? ns.toPrecision(2) + " ns" : timeText(ns));
}

/* The total of a row, whose times are below the resolution if it is below 0. */
function rowTotalText(row) {
	const total = number(row.total_ns);
	return total < 0 ? "\u2013" : timeText(total);
}

/* ---- the page --------------------------------------------------------------- */

class LivePage {
	constructor() {
		this.connection = new Connection();
		this.legHistories = new Histories();
		this.nodeHistories = new Histories();
		this.report = null;
		this.refreshes = 0;
		this.timer = null;
		this.isPaused = this.isOver = this.isBusy = false;
		this.took = 0;
		this.legs = new SortedTable(element("legs"), this.legTable());
		this.nodes = new SortedTable(element("nodes"), this.nodeTable());
		this.values = new SortedTable(element("values"), this.valueTable());
		this.flames = new FlameGraph(element("flames"),
			element("frame-facts"), element("whole"));
		this.listen();
		this.begin();
	}

	legTable() {
		const time = (name, title, spare) => ({name, title, spare,
			value: (leg) => number(leg[name]),
			show: (leg) => timeText(number(leg[name]))});
		return {label: "Legs", order: "total_ns",
			keyOf: (leg) => leg.id, labelOf: (leg) => leg.name,
			isDeleted: () => false,
			choose: (key) => this.choose(key),
			remove: (leg) => this.removeLeg(leg),
			columns: [
				{name: "name", title: "Leg", text: true,
					value: (leg) => leg.name,
					show: (leg) => leg.name},
				{name: "count", title: "Count",
					value: (leg) => number(leg.count),
					show: (leg) => numberText(number(leg.count))},
				{name: "rate", title: "Per second", spare: true,
					value: (leg) => this.legHistories.rate(leg.id),
					show: (leg) => numberText(
						this.legHistories.rate(leg.id))},
				{name: "spark", title: "Lately", spare: true,
					draw: (cell, leg) => this.drawSpark(cell, leg)},
				{name: "total_ns", title: "Total",
					value: (leg) => number(leg.total_ns),
					show: totalText},
				{name: "mean_ns", title: "Mean",
					value: (leg) => number(leg.mean_ns),
					show: meanText},
				time("p50_ns", "50 %", true),
				time("p99_ns", "99 %", true),
				time("max_ns", "Longest", true),
				this.madeBy()]};
	}

	/* The user, or `set detail auto`. */
	madeBy() {
		return {name: "made_by", title: "Made by", text: true, spare: true,
			value: (row) => row.made_by, show: (row) => row.made_by};
	}

	nodeTable() {
		return {label: "Nodes", order: "count",
			keyOf: (node) => node.id,
			labelOf: (node) => "node " + node.id + ", " + node.location,
			isDeleted: (node) => node.deleted,
			choose: null,
			remove: (node) => this.command("delete break " + node.id),
			columns: [
				{name: "id", title: "Node", value: (node) => node.id,
					show: (node) => String(node.id)},
				{name: "location", title: "Place", text: true,
					value: (node) => node.location,
					show: (node) => node.kind + " of " +
						node.location},
				{name: "count", title: "Count",
					value: (node) => number(node.count),
					show: (node) => numberText(number(node.count))},
				{name: "rate", title: "Per second", spare: true,
					value: (node) => this.nodeHistories.rate(node.id),
					show: (node) => numberText(
						this.nodeHistories.rate(node.id))},
				{name: "mechanism", title: "Mechanism", text: true,
					spare: true,
					value: (node) => node.mechanism || "",
					show: (node) => node.mechanism || ""},
				this.madeBy()]};
	}

	/* The rows of a leg that is split by an expression. */
	valueTable() {
		const time = (name, title, spare) => ({name, title, spare,
			value: (row) => number(row[name]),
			show: (row) => timeText(number(row[name]))});
		return {label: "Values", order: "total_ns",
			keyOf: (row) => row.key, labelOf: (row) => row.text,
			isDeleted: () => false, choose: null, remove: null,
			columns: [
				{name: "value", title: "Value", text: true,
					value: (row) => row.text,
					show: (row) => row.text},
				{name: "count", title: "Count",
					value: (row) => number(row.count),
					show: (row) => numberText(number(row.count))},
				{name: "part", title: "Part of all", spare: true,
					draw: (cell, row) => drawPart(cell,
						number(row.percent))},
				{name: "total_ns", title: "Total",
					value: (row) => number(row.total_ns),
					show: rowTotalText},
				time("mean_ns", "Mean"),
				time("p99_ns", "99 %", true),
				time("max_ns", "Longest", true)]};
	}

	listen() {
		document.addEventListener("visibilitychange", () => this.plan(0));
		element("add").addEventListener("submit", (event) => {
			event.preventDefault();
			this.submit();
		});
		element("filter").addEventListener("input", () => this.show());
		element("pause").addEventListener("click", () => {
			this.isPaused = !this.isPaused;
			element("pause").setAttribute("aria-pressed", this.isPaused);
			this.tellState();
			this.plan(0);
		});
		element("zero").addEventListener("click",
			() => this.command("zero tables"));
		element("profile").addEventListener("click", () => this.command(
			element("profile").getAttribute("aria-pressed") === "true"
				? "profile off" : "profile on"));
		element("begin").addEventListener("click", () => this.letBegin());
		addEventListener("resize", () => this.drawChosen());
	}

	/* ---- asking ---- */

	async begin() {
		await this.guard(async () => {
			this.facts = await this.connection.call("who");
			this.showFacts();
		});
		this.plan(0);
	}

	plan(wait) {
		clearTimeout(this.timer);
		this.timer = null;
		if (this.isPaused || this.isOver || document.hidden)
			return;
		this.timer = setTimeout(async () => {
			await this.refresh();
			this.plan(Math.max(INTERVAL, PAUSE * this.took));
		}, wait);
	}

	/* Asks for the figures once, and shows them. */
	async refresh() {
		if (this.isBusy)
			return;
		this.isBusy = true;
		const began = performance.now();
		await this.guard(async () => {
			this.report = await this.connection.call("report",
				{buckets_once: true});
			if (this.refreshes++ % SAMPLES_EVERY === 0)
				await this.refreshSamples();
			this.took = performance.now() - began;
			this.remember();
			this.show();
			this.noteEnd();
			this.tellProblem("");
		});
		this.isBusy = false;
	}

	async refreshSamples() {
		const tree = await this.connection.call("calltree");
		const ticks = Number(tree.ticks);
		element("profile").setAttribute("aria-pressed", tree.on);
		element("profile").textContent = tree.on ? "Take no more samples"
			: "Take samples";
		element("samples-facts").textContent = ticks
			? numberText(ticks) + " samples. A frame is as wide as its " +
				"part of them, and hangs from its caller."
			: "No samples were taken.";
		this.flames.update(tree.frame || [], ticks);
	}

	/* Runs the function, and shows a failure instead of throwing it. */
	async guard(work) {
		try {
			await work();
		} catch (error) {
			if (this.isOver)
				return;
			if (error instanceof Gone) {
				this.end("perftool does not answer any more: the " +
					"program has ended, or perftool has.");
				return;
			}
			this.tellProblem(error.message);
			if (!(error instanceof Problem))
				console.error(error);
		}
	}

	end(why) {
		this.isOver = true;
		clearTimeout(this.timer);
		element("state").setAttribute("role", "alert");
		this.tellState(why);
		for (const button of document.querySelectorAll(
			"#begin, #pause, #zero, #profile, #submit, td button"))
			button.disabled = true;
	}

	noteEnd() {
		const {state, exit_status: status, exit_signal: signal} =
			this.report.program;
		if (state === "exited")
			this.end("The program has ended with the status " + status +
				". These are its last figures.");
		else if (state === "signaled")
			this.end("The program was ended by the signal " + signal +
				". These are its last figures.");
	}

	remember() {
		const now = performance.now();
		this.legHistories.add(this.report.legs.map((leg) => ({key: leg.id,
			count: Number(leg.count), total: number(leg.total_ns)})), now);
		this.nodeHistories.add(this.report.nodes.map((node) => ({key: node.id,
			count: Number(node.count), total: null})), now);
	}

	/* ---- showing ---- */

	showFacts() {
		const {program, args, pid, held} = this.facts;
		const name = (program || "a program").split("/").pop();
		document.title = name + " - perftool";
		element("program").textContent =
			[name].concat(args || []).join(" ");
		element("facts").textContent = "Process " + pid + ", " +
			(program || "");
		element("begin").hidden = !held;
	}

	show() {
		if (!this.report)
			return;
		const word = element("filter").value.toLowerCase();
		const {legs, nodes} = this.report;
		const wanted = legs.filter((leg) =>
			leg.name.toLowerCase().includes(word));
		this.legs.update(wanted);
		this.nodes.update(nodes);
		this.note("legs-note", wanted.length, legs.length, "leg");
		this.note("nodes-note", nodes.length, nodes.length, "node");
		this.tellState();
		this.drawChosen();
	}

	note(id, count, all, what) {
		const text = !all ? "There is no " + what + " yet: add one above."
			: count > MOST_ROWS ? "The first " + MOST_ROWS + " of " +
				count + " are shown."
			: count < all ? count + " of " + all + " are shown." : "";
		if (element(id).textContent !== text)
			element(id).textContent = text;
	}

	drawSpark(cell, leg) {
		const points = this.legHistories.points(leg.id).slice(-SPARK_POINTS);
		if (points.length)
			drawSparkline(cell, points.map((point) => point.rate));
	}

	choose(key) {
		this.legs.choose(key);
		this.drawChosen();
	}

	drawChosen() {
		const key = this.legs.chosen;
		const leg = this.report && key !== null
			? this.report.legs.find((one) => one.id === key) : null;
		element("chosen").hidden = !leg;
		if (!leg)
			return;
		if (element("chosen-title").textContent !== leg.name)
			element("chosen-title").textContent = leg.name;
		element("chosen-facts").textContent =
			"Leg " + leg.id + ", from node " + leg.from + " to node " +
			leg.to + ": " + numberText(number(leg.count)) +
			" executions" + (number(leg.open) ? ", " +
				numberText(number(leg.open)) + " not ended yet" : "") +
			"; mean " + (meanText(leg) || "not known") +
			", total " + totalText(leg) + ".";
		drawHistogram(element("histogram"), this.histogramOf(leg),
		[["p50", number(leg.p50_ns)], ["p90", number(leg.p90_ns)],
			["p99", number(leg.p99_ns)]]);
		drawTimeLine(element("timeline"), this.legHistories.points(key));
		this.drawSplit(leg.by);
	}

	/* The buckets of a histogram of class hdr are those of the leg. */
	histogramOf(leg) {
		const histogram = this.report.histograms.find(
			(one) => one.of === "leg" && one.id === leg.id);
		return histogram && !histogram.buckets
			? {...histogram, buckets: (leg.buckets || []).map(
				([from, to, count]) => ({from, to, count}))}
			: histogram;
	}

	drawSplit(by) {
		element("split").hidden = !by;
		if (!by)
			return;
		const title = "By " + by.expression;
		if (element("split-title").textContent !== title)
			element("split-title").textContent = title;
		this.values.update(by.values.map((row, i) => ({...row, key: i,
			text: row.kind === "value" ? String(row.value)
				: "(" + row.kind + ")"})));
	}

	tellState(why) {
		const {summary, program} = this.report || {};
		const text = why ? why : this.isOver ? element("state").textContent
			: !summary ? "Connecting to perftool."
			: (this.isPaused ? "The page is paused. " : "") +
				(program.state || "not started") + "; measured for " +
				timeText(number(summary.elapsed_ns)) + ", of which " +
				numberText(number(summary.overhead_percent)) +
				" % were spent on measuring.";
		if (element("state").textContent !== text)
			element("state").textContent = text;
	}

	tellProblem(text) {
		element("problem").hidden = !text;
		if (element("problem").textContent !== text)
			element("problem").textContent = text;
	}

	/* ---- commands ---- */

	/* Gives a line of the command language; shows what it says. Returns
	 * whether it has succeeded. */
	async command(line) {
		let done = false;
		await this.guard(async () => {
			let text;
			try {
				const {status, error, output} =
					await this.connection.call("command", {line});
				done = !status;
				text = output + (error || "");
			} catch (error) {
				if (!(error instanceof Problem))
					throw error;
				text = error.message;
			}
			element("said").hidden = false;
			element("said").textContent = "> " + line + "\n" + text;
			element("said").classList.toggle("problem", !done);
			this.refreshes = 0;
		});
		await this.refresh();
		return done;
	}

	async submit() {
		const what = element("what").value;
		const place = element("place").value.trim();
		const lines = {time: ["time " + place],
			count: ["break " + place + " if 1", "collect nodes"],
			command: [place]}[what];
		let done = true;
		for (const line of lines)
			done = done && await this.command(line);
		if (done)
			element("place").value = "";
	}

	/* Removes the leg, and those of its nodes that no other leg needs and
	 * that did not go with it: `set detail auto` takes its own out. */
	async removeLeg(leg) {
		if (!await this.command("delete leg " + leg.id))
			return;
		const {legs, nodes} = this.report;
		const spare = nodes.filter((node) => !node.deleted &&
			(node.id === leg.from || node.id === leg.to) &&
			!legs.some((one) => one.from === node.id ||
				one.to === node.id)).map((node) => node.id);
		if (spare.length)
			await this.command("delete break " + spare.join(" "));
	}

	/* START is answered: the program that was held begins. */
	async letBegin() {
		await this.guard(() => this.connection.post(
			{jsonrpc: "2.0", id: 1, result: null}));
		element("begin").hidden = true;
	}
}

const livePage = new LivePage();
