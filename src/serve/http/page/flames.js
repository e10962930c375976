/*
 * flames.js - the flame graph of samples: a frame is a button as wide as its
 * part of the samples, and hangs from the frame that has called it
 *
 * The frames come as a list in which each stands before those that it has
 * called, with its depth.
 */

const FRAME_HEIGHT = 20;
/* Frames that are narrower, in pixels, are left out. */
const LEAST_WIDTH = 2;
const MOST_FRAMES = 1500;

class FlameGraph {
	constructor(element, told, whole) {
		this.element = element;
		this.told = told; /* where the frame with the focus is described */
		this.whole = whole; /* the button that shows all */
		this.root = {name: "all samples", module: "", ticks: 0,
			children: [], parent: null, path: ""};
		this.zoomed = "";
		this.current = "";
		element.addEventListener("click", (event) => {
			const button = event.target.closest("button");
			if (button)
				this.zoom(button.frame);
		});
		element.addEventListener("focusin", (event) => {
			this.current = event.target.frame.path;
			this.describe(event.target.frame);
		});
		element.addEventListener("mouseover", (event) => {
			if (event.target.frame)
				this.describe(event.target.frame);
		});
		element.addEventListener("keydown", (event) => this.onKey(event));
		whole.addEventListener("click", () => {
			this.zoom(this.root);
			this.focus(this.root);
		});
		this.width = 0;
		new ResizeObserver(() => {
			if (element.clientWidth !== this.width)
				this.draw();
		}).observe(element);
	}

	/* `frames`: {name, module, depth (from 0), ticks} */
	update(frames, ticks) {
		const root = {name: "all samples", module: "", ticks, children: [],
			parent: null, path: ""};
		const above = [root];
		for (const {name, module, depth, ticks: own} of frames) {
			const parent = above[depth] || root;
			const frame = {name, module: module || "",
				ticks: Number(own), children: [], parent,
				path: parent.path + "\n" + name};
			parent.children.push(frame);
			above.length = depth + 1;
			above.push(frame);
		}
		this.root = root;
		this.draw();
	}

	find(path) {
		let found = this.root;
		for (const name of path.split("\n").slice(1)) {
			const next = found.children.find((one) => one.name === name);
			if (!next)
				return found;
			found = next;
		}
		return found;
	}

	zoom(frame) {
		this.zoomed = frame.path;
		this.current = frame.path;
		this.draw();
	}

	/* Lays out the frame that is shown in full width, its callers above it, and
	 * what it has called below. */
	layOut(width) {
		const top = this.find(this.zoomed);
		const list = [];
		const callers = [];
		for (let at = top.parent; at; at = at.parent)
			callers.unshift(at);
		callers.forEach((frame, depth) =>
			list.push({frame, depth, left: 0, width}));
		const add = (frame, depth, left, own) => {
			if (own < LEAST_WIDTH || list.length >= MOST_FRAMES)
				return;
			list.push({frame, depth, left, width: own});
			let at = left;
			for (const child of frame.children) {
				const part = own * child.ticks /
					Math.max(frame.ticks, 1);
				add(child, depth + 1, at, part);
				at += part;
			}
		};
		add(top, callers.length, 0, width);
		return list;
	}

	draw() {
		const has = this.root.ticks > 0;
		this.width = this.element.clientWidth;
		const list = has ? this.layOut(this.width) : [];
		const height = list.reduce((most, {depth}) => Math.max(most, depth + 1),
			0) * FRAME_HEIGHT;
		const held = this.element.contains(document.activeElement);
		this.shown = list;
		this.element.style.height = height + "px";
		this.whole.hidden = !this.zoomed;
		list.forEach((place, i) => this.place(
			this.element.children[i] || this.make(), place));
		while (this.element.children.length > list.length)
			this.element.lastElementChild.remove();
		this.rove();
		if (held)
			this.focus(this.find(this.current));
	}

	make() {
		const button = document.createElement("button");
		button.type = "button";
		this.element.append(button);
		return button;
	}

	/* Equal names have the same colour. */
	hue(name) {
		let sum = 0;
		for (let i = 0; i < name.length; i++)
			sum = (sum * 31 + name.charCodeAt(i)) >>> 0;
		return sum % 40 - 20;
	}

	place(button, {frame, depth, left, width}) {
		button.frame = frame;
		button.textContent = width > 24 ? frame.name : "";
		button.setAttribute("aria-label", this.text(frame));
		button.style.left = left.toFixed(1) + "px";
		button.style.width = width.toFixed(1) + "px";
		button.style.top = depth * FRAME_HEIGHT + "px";
		button.style.filter = "hue-rotate(" + this.hue(frame.name) + "deg)";
	}

	/* One frame can be reached by Tab, the others by arrow keys. */
	rove() {
		const current = this.find(this.current);
		let any = false;
		for (const button of this.element.children) {
			button.tabIndex = button.frame === current ? 0 : -1;
			any = any || button.frame === current;
		}
		if (!any && this.element.firstElementChild)
			this.element.firstElementChild.tabIndex = 0;
	}

	focus(frame) {
		for (const button of this.element.children)
			if (button.frame === frame) {
				this.current = frame.path;
				this.rove();
				button.focus({preventScroll: true});
				return true;
			}
		return false;
	}

	onKey(event) {
		const frame = event.target.frame;
		const beside = frame.parent ? frame.parent.children : [frame];
		const i = beside.indexOf(frame);
		const widest = frame.children.reduce((most, child) =>
			!most || child.ticks > most.ticks ? child : most, null);
		const next = {ArrowUp: frame.parent, ArrowDown: widest,
			ArrowLeft: beside[i - 1], ArrowRight: beside[i + 1],
			Home: this.root}[event.key];
		if (event.key === "Escape") {
			this.zoom(this.root);
			this.focus(this.root);
		} else if (next) {
			this.focus(next);
		} else {
			return;
		}
		event.preventDefault();
	}

	text(frame) {
		return frame.name + (frame.module ? " (" + frame.module + ")" : "") +
			": " + numberText(frame.ticks) + " samples, " +
			(100 * frame.ticks / Math.max(this.root.ticks, 1)).toFixed(1) +
			" %";
	}

	describe(frame) {
		this.told.textContent = this.text(frame);
	}
}
