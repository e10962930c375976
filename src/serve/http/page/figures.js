/*
 * figures.js - how numbers are written, and the pictures of one leg: its
 * sparkline, its histogram and its time line; a percentage as a bar
 *
 * Each picture is one <svg>, whose parts are used again when it is drawn anew.
 * All functions get plain data and know nothing of the server.
 */

const SVG = "http://www.w3.org/2000/svg";

function numberText(value) {
	if (value === null || value === undefined || Number.isNaN(value))
		return "";
	if (value >= 1000 || Number.isInteger(value))
		return Math.round(value).toLocaleString("en-US");
	return value.toPrecision(3);
}

/* A time in ns, with three digits that count. */
function timeText(ns) {
	if (ns === null || ns === undefined || Number.isNaN(ns))
		return "";
	for (const [factor, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"]])
		if (Math.abs(ns) >= factor)
			return (ns / factor).toPrecision(
				ns / factor >= 1000 ? 4 : 3) + " " + unit;
	return Math.round(ns) + " ns";
}

/* Numbers beyond 2^53 come as texts. */
function number(value) {
	return value === null || value === undefined ? null : Number(value);
}

/* Gives the parent the children that `wanted` describes, in this order: each is
 * [name, attributes, text]. Elements that are there already stay if their name
 * is the same. */
function drawParts(parent, wanted) {
	wanted.forEach(([name, attributes, text], i) => {
		let part = parent.children[i];
		if (!part || part.localName !== name) {
			const made = document.createElementNS(SVG, name);
			if (part)
				parent.replaceChild(made, part);
			else
				parent.appendChild(made);
			part = made;
		}
		for (const old of [...part.getAttributeNames()])
			if (!(old in attributes))
				part.removeAttribute(old);
		for (const key in attributes) {
			const value = String(attributes[key]);
			if (part.getAttribute(key) !== value)
				part.setAttribute(key, value);
		}
		if (part.textContent !== (text || ""))
			part.textContent = text || "";
	});
	while (parent.children.length > wanted.length)
		parent.lastElementChild.remove();
}

/* Returns the <svg> inside of the element; makes it the first time. */
function pictureIn(element, width, height, label) {
	let svg = element.querySelector("svg");
	if (!svg) {
		svg = document.createElementNS(SVG, "svg");
		svg.setAttribute("role", "img");
		element.replaceChildren(svg);
	}
	for (const [key, value] of [["width", width], ["height", height],
		["aria-label", label]])
		if (svg.getAttribute(key) !== String(value))
			svg.setAttribute(key, value);
	return svg;
}

function drawSparkline(element, values) {
	const width = 80, height = 18;
	const most = Math.max(...values, 1e-9);
	const points = values.map((value, i) =>
		(values.length > 1 ? i * width / (values.length - 1) : 0).toFixed(1) +
		"," + (height - 1 - value / most * (height - 2)).toFixed(1));
	const svg = pictureIn(element, width, height,
		"executions per second, at most " + numberText(most));
	drawParts(svg, [["polyline",
		{class: "spark", points: points.join(" ")}]]);
}

/* Draws a percentage as a bar. */
function drawPart(element, percent) {
	const width = 100, height = 12;
	drawParts(pictureIn(element, width, height, percent.toFixed(1) + " %"),
		[["rect", {class: "bar", x: 0, y: 0, height,
			width: Math.max(percent * width / 100, 1).toFixed(1)}]]);
}

function drawEmpty(element, text) {
	drawParts(pictureIn(element, 300, 24, text),
		[["text", {x: 0, y: 16}, text]]);
}

/* The marks of a logarithmic axis between two values: the powers of 10, and
 * between them 2 and 5 if there are few. */
function logMarks(from, to) {
	const marks = [];
	const few = to / from < 1000;
	for (let power = Math.floor(Math.log10(from));
		power <= Math.log10(to); power++)
		for (const digit of few ? [1, 2, 5] : [1]) {
			const value = digit * Math.pow(10, power);
			if (value >= from && value <= to)
				marks.push(value);
		}
	return marks;
}

/* Draws how the values are distributed. The axis is logarithmic, and the area
 * of a bar is the number of values: its height is their density. `percentiles`
 * are [name, value]. */
function drawHistogram(element, histogram, percentiles) {
	const buckets = (histogram ? histogram.buckets : [])
		.map(({from, to, count}) => ({from: Math.max(Number(from), 0.5),
			to: Math.max(Number(to), 1), count: Number(count)}))
		.filter((bucket) => bucket.count > 0 && bucket.to > bucket.from);
	if (!buckets.length)
		return drawEmpty(element, "There are no values yet.");
	const text = histogram.class === "hdr" ? timeText : numberText;
	const width = Math.max(element.clientWidth, 260), height = 180;
	const top = 42, bottom = height - 20;
	/* a little room, so that a single bucket is not as wide as the axis */
	const low = Math.log(buckets[0].from) - 0.15;
	const high = Math.log(buckets[buckets.length - 1].to) + 0.15;
	const x = (value) => (Math.log(value) - low) / (high - low) * width;
	const density = (b) => b.count / (Math.log(b.to) - Math.log(b.from));
	const most = Math.max(...buckets.map(density));
	const parts = [];
	for (const mark of logMarks(Math.exp(low), Math.exp(high)))
		parts.push(["line", {class: "axis", x1: x(mark).toFixed(1),
			x2: x(mark).toFixed(1), y1: top, y2: bottom}],
		["text", {x: x(mark).toFixed(1), y: height - 5,
			"text-anchor": "middle"}, text(mark)]);
	for (const bucket of buckets) {
		const left = x(bucket.from);
		const tall = density(bucket) / most * (bottom - top);
		parts.push(["rect", {class: "bar", x: left.toFixed(1),
			y: (bottom - Math.max(tall, 1)).toFixed(1),
			width: Math.max(x(bucket.to) - left, 1).toFixed(1),
			height: Math.max(tall, 1).toFixed(1)}]);
	}
	percentiles.filter(([, value]) => value > 0).forEach(([name, value], i) => {
		const at = Math.min(Math.max(x(value), 0), width);
		parts.push(["line", {class: "percentile", x1: at.toFixed(1),
			x2: at.toFixed(1), y1: 12 * i + 4, y2: bottom}],
		["text", {class: "second", x: at.toFixed(1),
			y: 12 * i + 12,
			"text-anchor": at > width / 2 ? "end" : "start"},
		name + " " + text(value)]);
	});
	const said = percentiles.filter(([, value]) => value > 0)
		.map(([name, value]) => name + " " + text(value)).join(", ");
	drawParts(pictureIn(element, width, height, "Histogram of " +
		numberText(Number(histogram.references)) + " values. " + said),
	parts);
}

/* Draws the rate of executions as bars, and their mean time as a curve. Each
 * point is {time (ms), rate (per second), mean (ns, or null)}. Where there are
 * few, the line does not take the whole width. */
const LEAST_POINTS = 60;

function drawTimeLine(element, points) {
	if (points.length < 2)
		return drawEmpty(element, "The time line begins with the next figures.");
	const width = Math.max(element.clientWidth, 260), height = 150;
	const top = 16, bottom = height - 18;
	const rates = Math.max(...points.map((point) => point.rate), 1e-9);
	const means = Math.max(...points.map((point) => point.mean || 0), 1e-9);
	const step = width / Math.max(points.length, LEAST_POINTS);
	const first = width - points.length * step;
	const parts = [["line", {class: "axis", x1: 0, x2: width, y1: bottom,
		y2: bottom}],
	["text", {x: 0, y: 11}, "up to " + numberText(rates) + " per second"],
	["text", {class: "second", x: width, y: 11, "text-anchor": "end"},
		"mean up to " + timeText(means)],
	["text", {x: width, y: height - 4, "text-anchor": "end"}, "now"],
	["text", {x: Math.min(first, width - 100), y: height - 4},
		numberText(Math.round((points[points.length - 1].time -
			points[0].time) / 1000)) + " s ago"]];
	points.forEach((point, i) => {
		const tall = point.rate / rates * (bottom - top);
		if (tall > 0)
			parts.push(["rect", {class: "bar",
				x: (first + i * step).toFixed(1),
				y: (bottom - tall).toFixed(1),
				width: Math.max(step - 0.5, 0.5).toFixed(1),
				height: tall.toFixed(1)}]);
	});
	const curve = points.map((point, i) => [first + (i + 0.5) * step,
		point.mean]).filter(([, mean]) => mean !== null)
		.map(([at, mean]) => at.toFixed(1) + "," +
			(bottom - mean / means * (bottom - top)).toFixed(1));
	parts.push(["polyline", {class: "curve", points: curve.join(" ")}]);
	drawParts(pictureIn(element, width, height, "Time line: " +
		numberText(points[points.length - 1].rate) +
		" executions per second now, at most " + numberText(rates)), parts);
}
