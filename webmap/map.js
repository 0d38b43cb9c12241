"use strict";
// A NodeMap draws nodes at their places in one panel or more, and lists the nodes nearest to a chosen one.
// near(node) answers by list.
class NodeMap {
	static colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#0054fc", "#cc00fc", "#00e400", "#e400a8",
		"#a83060", "#48d8b4", "#7800fc", "#9c84fc", "#7848a8", "#606c00", "#fc0c54", "#fc78fc", "#90b400", "#c0b4a8"];

	constructor(root, near) {
		Object.assign(this, {root, near, ids: [], panels: [], edges: [], groups: [], off: new Set(), found: [], chosen: -1, hover: -1, lit: null});
		root.classList.add("map");
		root.innerHTML = `<div class="bar"><input type="search" name="node" placeholder="Find a node" aria-label="Find a node" autocomplete="off">
			<button type="button" name="whole">Whole map</button><ul class="hits" hidden></ul></div>
			<div class="panels"></div><ul class="legend" aria-label="Colours"></ul><div class="tip" hidden></div>
			<table hidden><caption></caption><tbody></tbody></table>`;
		for (const [name, selector] of Object.entries({search: "input", hits: ".hits", field: ".panels", legend: ".legend", tip: ".tip", table: "table"})) this[name] = root.querySelector(selector);
		this.search.oninput = () => this.suggest();
		this.search.onchange = () => { const node = this.match(this.search.value)[0]; if (node !== undefined) this.choose(node, true); };
		this.search.onblur = () => setTimeout(() => { this.hits.hidden = true; }, 200); // after a click on one of them
		root.querySelector("button").onclick = () => { this.choose(-1); for (const p of this.panels) this.fit(p); this.draw(); };
		new ResizeObserver(() => this.draw()).observe(this.field);
		matchMedia("(prefers-color-scheme: dark)").onchange = () => this.draw();
	}

	// show replaces the nodes and forgets the chosen one. first lists them in the order in which names are written.
	show({ids, edges, first}) {
		const rank = [];
		ids.forEach((_, k) => { rank[first?.[k] ?? k] = k; });
		Object.assign(this, {ids, edges: edges ?? [], first: first ?? ids.map((_, k) => k), rank, groups: [], plain: null, panels: [], off: new Set()});
		this.choose(-1);
	}

	// place puts the nodes into panels, {title, places: [x0, y0, x1, y1, …]}, and shows all of them.
	place(panels) {
		const before = this.panels;
		this.panels = panels.map(({title, places}, k) => {
			const figure = before[k]?.figure ?? document.createElement("figure");
			if (!before[k]) figure.append(document.createElement("figcaption"), document.createElement("canvas"));
			figure.firstChild.textContent = title;
			const p = {figure, places, canvas: figure.lastChild, at: new Float32Array(places.length)};
			this.listen(p);
			this.bound(p);
			return p;
		});
		this.field.replaceChildren(...this.panels.map(p => p.figure));
		for (const p of this.panels) this.fit(p);
		this.draw();
	}

	// colour gives the nodes groups, −1 for none, with names, or numbers behind a noun; with grades these are steps of a scale.
	colour({groups, names, noun, grades}) {
		Object.assign(this, {groups, names, noun, steps: grades ? Math.max(1, ...groups) : 0, off: new Set(), lit: null});
		const count = new Map();
		for (const g of groups) count.set(g, (count.get(g) ?? 0) + 1);
		const most = 60, all = [...count.keys()].sort((a, b) => (a < 0) - (b < 0) || a - b);
		this.legend.replaceChildren(...all.slice(0, most).map(g => {
			const item = document.createElement("li"), button = document.createElement("button"), dot = document.createElement("span");
			dot.style.color = g < 0 ? "var(--none)" : this.colourOf(g);
			dot.textContent = "● ";
			button.type = "button";
			button.setAttribute("aria-pressed", "true");
			button.append(dot, `${this.nameOf(g)} (${count.get(g)})`);
			button.onclick = () => {
				if (!this.off.delete(g)) this.off.add(g);
				button.setAttribute("aria-pressed", String(!this.off.has(g)));
				this.draw();
			};
			button.onmouseenter = button.onfocus = () => { this.lit = g; this.draw(); };
			button.onmouseleave = button.onblur = () => { this.lit = null; this.draw(); };
			item.append(button);
			return item;
		}));
		if (all.length > most) this.legend.append(`and ${all.length - most} more`);
		this.list(this.found, this.chosen);
		this.draw();
	}

	group(node) { return this.groups[node] ?? -1; }
	nameOf(g) { return g < 0 ? "no " + (this.noun ?? "class") : this.names?.[g] ?? `${this.noun ?? "class"} ${g}`; }
	colourOf(g) {
		if (this.steps && g >= 0) return `color-mix(in srgb, #1b2a8a ${100 * g / this.steps}%, #f0d050)`;
		return g < 0 ? getComputedStyle(this.root).getPropertyValue("--none") : NodeMap.colours[g % NodeMap.colours.length];
	}

	// choose lights a node, or none for −1, and asks for the nodes nearest to it.
	choose(node, move = false) {
		Object.assign(this, {chosen: node, found: []});
		this.search.value = node < 0 ? "" : this.ids[node];
		this.hits.hidden = this.table.hidden = true;
		this.table.tBodies[0].replaceChildren();
		if (move) for (const p of this.panels) Object.assign(p, {x: p.places[2 * node], y: p.places[2 * node + 1], zoom: Math.max(p.zoom, 3)});
		if (node >= 0) this.near(node);
		this.draw();
	}

	// list shows the nodes nearest to one, {Row, Score} each, if it is still chosen.
	list(found, node) {
		if (node !== this.chosen || node < 0) return;
		this.found = found;
		this.table.hidden = !found.length;
		this.table.caption.textContent = `Nearest to ${this.ids[node]}`;
		this.table.tBodies[0].replaceChildren(...found.map(({Row, Score}) => {
			const line = document.createElement("tr"), button = document.createElement("button");
			button.type = "button";
			button.textContent = this.ids[Row];
			button.onclick = () => this.choose(Row);
			line.insertCell().append(button);
			for (const text of [this.group(Row) < 0 ? "" : this.nameOf(this.group(Row)), Score.toFixed(4)]) line.insertCell().textContent = text;
			return line;
		}));
		this.draw();
	}

	// match finds nodes by the beginning of their names, then by a part; accents, capitals and signs between words do not count.
	match(text) {
		const plain = s => s.normalize("NFD").replace(/\p{M}/gu, "").replace(/[^\p{L}\p{N}]+/gu, " ").toLowerCase();
		const exact = this.ids.indexOf(text);
		if (exact >= 0 || !text) return exact >= 0 ? [exact] : [];
		this.plain ??= this.ids.map(plain);
		const part = plain(text).trim(), whole = [], begin = [], within = [];
		for (const node of this.first) {
			const name = this.plain[node], at = name.indexOf(part);
			if (part && at >= 0) (name === part ? whole : at === 0 ? begin : within).push(node);
		}
		return [...whole, ...begin, ...within];
	}

	suggest() {
		const found = this.match(this.search.value).slice(0, 8);
		this.hits.hidden = !found.length;
		this.hits.replaceChildren(...found.map(node => {
			const item = document.createElement("li"), button = document.createElement("button");
			button.type = "button";
			button.textContent = this.ids[node];
			button.onclick = () => this.choose(node, true);
			item.append(button);
			return item;
		}));
	}

	bound(p) {
		p.lo = [Infinity, Infinity], p.hi = [-Infinity, -Infinity];
		p.places.forEach((v, k) => { p.lo[k % 2] = Math.min(p.lo[k % 2], v); p.hi[k % 2] = Math.max(p.hi[k % 2], v); });
		const [width, height] = [0, 1].map(k => p.hi[k] - p.lo[k] || 1);
		p.canvas.style.aspectRatio = Math.min(2, Math.max(.8, width / height));
	}

	fit(p) { Object.assign(p, {x: (p.lo[0] + p.hi[0]) / 2, y: (p.lo[1] + p.hi[1]) / 2, zoom: 1}); }

	// pixels is how many there are to a unit of the places.
	pixels(p) {
		const margin = 24;
		return p.zoom * Math.min((p.canvas.clientWidth - margin) / (p.hi[0] - p.lo[0] || 1), (p.canvas.clientHeight - margin) / (p.hi[1] - p.lo[1] || 1));
	}

	// zoomAt makes what is at a pixel larger, and leaves it there.
	zoomAt(p, x, y, times) {
		const dx = x - p.canvas.clientWidth / 2, dy = p.canvas.clientHeight / 2 - y, before = this.pixels(p);
		p.zoom = Math.min(400, Math.max(.5, p.zoom * times));
		const more = 1 / before - 1 / this.pixels(p);
		p.x += dx * more;
		p.y += dy * more;
		this.draw();
	}

	pan(p, dx, dy) {
		p.x -= dx / this.pixels(p);
		p.y += dy / this.pixels(p);
		this.draw();
	}

	// listen has a panel moved by dragging, by two fingers, by the wheel and by keys, and its nodes chosen.
	listen(p) {
		const c = p.canvas, down = new Map();
		let moved = 0;
		c.tabIndex = 0;
		c.setAttribute("aria-label", "Map: arrows move it, + and − change its size");
		c.onwheel = event => { event.preventDefault(); this.zoomAt(p, event.offsetX, event.offsetY, Math.exp(-event.deltaY / 500)); };
		c.onpointerdown = event => { c.setPointerCapture(event.pointerId); down.set(event.pointerId, event); if (down.size === 1) moved = 0; };
		c.onpointermove = event => {
			const last = down.get(event.pointerId);
			if (!last) return this.point(p, event);
			const dx = event.offsetX - last.offsetX, dy = event.offsetY - last.offsetY;
			moved += Math.abs(dx) + Math.abs(dy);
			if (down.size === 2) {
				const [other] = [...down.entries()].filter(([id]) => id !== event.pointerId).map(([, e]) => e);
				const apart = e => Math.hypot(e.offsetX - other.offsetX, e.offsetY - other.offsetY);
				this.zoomAt(p, (event.offsetX + other.offsetX) / 2, (event.offsetY + other.offsetY) / 2, apart(event) / Math.max(1, apart(last)));
			} else if (moved > 3) this.pan(p, dx, dy);
			down.set(event.pointerId, event);
		};
		c.onpointerup = c.onpointercancel = event => {
			if (down.size === 1 && moved <= 3 && event.type === "pointerup") this.choose(this.closest(p, event.offsetX, event.offsetY));
			down.delete(event.pointerId);
		};
		c.onpointerleave = () => { this.tip.hidden = true; this.hover = -1; this.draw(); };
		c.onkeydown = event => {
			const step = {ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40]}[event.key];
			if (step) this.pan(p, ...step);
			else if ("+-".includes(event.key)) this.zoomAt(p, c.clientWidth / 2, c.clientHeight / 2, event.key === "+" ? 1.25 : .8);
			else return;
			event.preventDefault();
		};
	}

	// closest is the node within 15 pixels, or −1.
	closest(p, x, y) {
		let best = -1, least = 225;
		for (let k = 0; k < this.ids.length; k++) {
			const far = (p.at[2 * k] - x) ** 2 + (p.at[2 * k + 1] - y) ** 2;
			if (far < least && !this.off.has(this.group(k))) [best, least] = [k, far];
		}
		return best;
	}

	// point writes the name of the node under the pointer.
	point(p, {offsetX, offsetY}) {
		const node = this.closest(p, offsetX, offsetY);
		this.tip.hidden = node < 0;
		if (node !== this.hover) {
			this.hover = node;
			this.draw();
		}
		if (node < 0) return;
		this.tip.textContent = this.ids[node] + (this.group(node) < 0 ? "" : ` · ${this.nameOf(this.group(node))}`);
		const left = p.canvas.offsetLeft + p.at[2 * node], right = left + this.tip.offsetWidth + 12 > this.root.clientWidth;
		this.tip.style.left = `${Math.max(0, right ? left - this.tip.offsetWidth - 8 : left + 10)}px`;
		this.tip.style.top = `${p.canvas.offsetTop + p.at[2 * node + 1] - 12}px`;
	}

	// draw draws all panels before the next frame.
	draw() {
		this.frame ??= requestAnimationFrame(() => { this.frame = null; for (const p of this.panels) this.drawPanel(p); });
	}

	drawPanel(p) {
		const sharp = devicePixelRatio, {canvas: c, at} = p, pen = c.getContext("2d"), width = c.clientWidth, height = c.clientHeight;
		if (!width) return;
		c.width = width * sharp, c.height = height * sharp;
		pen.scale(sharp, sharp);
		const k = this.pixels(p), n = this.ids.length;
		for (let i = 0; i < 2 * n; i += 2) at[i] = width / 2 + (p.places[i] - p.x) * k, at[i + 1] = height / 2 - (p.places[i + 1] - p.y) * k;
		const css = getComputedStyle(this.root), ink = css.getPropertyValue("--ink"), paper = css.getPropertyValue("--paper");
		const focus = this.chosen >= 0 ? this.chosen : this.hover, near = new Set(this.found.map(m => m.Row));
		this.drawEdges(pen, at, ink, focus);
		const size = Math.max(1.5, Math.min(5, 130 / Math.sqrt(n))) * Math.min(2, Math.sqrt(p.zoom)), dots = new Map();
		const within = i => at[2 * i] > -size && at[2 * i] < width + size && at[2 * i + 1] > -size && at[2 * i + 1] < height + size && !this.off.has(this.group(i));
		const dot = i => {
			const g = this.group(i);
			if (!dots.has(g)) dots.set(g, this.dot(this.colourOf(g), size, sharp));
			pen.globalAlpha = this.lit !== null && this.lit !== g || near.size && i !== this.chosen && !near.has(i) ? .2 : 1;
			pen.drawImage(dots.get(g), at[2 * i] - size - 1, at[2 * i + 1] - size - 1, 2 * size + 2, 2 * size + 2);
		};
		// Nodes of no group lie beneath the others, and these in an order that mixes the groups.
		for (const none of [true, false]) for (let q = 0, i = 0, step = NodeMap.coprime(n); q < n; q++, i = (i + step) % n) if (this.group(i) < 0 === none && within(i)) dot(i);
		pen.globalAlpha = 1;
		pen.strokeStyle = ink;
		for (const i of near) this.ring(pen, at, i, size + 2);
		pen.lineWidth = 2.5;
		if (focus >= 0) this.ring(pen, at, focus, size + 4);
		this.write(pen, at, within, [focus, ...near], ink, paper, size);
	}

	// coprime is a step that comes by each of n nodes before it comes by the first again.
	static coprime(n) {
		const divisor = (a, b) => b ? divisor(b, a % b) : a;
		let step = Math.max(1, Math.round(n * .618));
		while (divisor(n, step) > 1) step++;
		return step;
	}

	// dot is a disc as a picture, which is quicker to draw many times.
	dot(colour, size, sharp) {
		const c = document.createElement("canvas"), pen = c.getContext("2d");
		c.width = c.height = Math.ceil((2 * size + 2) * sharp);
		pen.fillStyle = colour;
		pen.beginPath();
		pen.arc(c.width / 2, c.width / 2, size * sharp, 0, 7);
		pen.fill();
		return c;
	}

	ring(pen, at, i, radius) {
		pen.beginPath();
		pen.arc(at[2 * i], at[2 * i + 1], radius, 0, 7);
		pen.stroke();
	}

	// drawEdges draws every edge faintly, and the edges of one node over them.
	drawEdges(pen, at, ink, focus) {
		pen.strokeStyle = ink;
		for (const [alpha, own] of [[.12, false], [.6, true]]) {
			pen.globalAlpha = alpha;
			pen.beginPath();
			for (let e = 0; e < this.edges.length; e += 2) {
				const u = this.edges[e], v = this.edges[e + 1];
				if (own && u !== focus && v !== focus || this.off.has(this.group(u)) || this.off.has(this.group(v))) continue;
				pen.moveTo(at[2 * u], at[2 * u + 1]);
				pen.lineTo(at[2 * v], at[2 * v + 1]);
			}
			pen.stroke();
		}
		pen.globalAlpha = 1;
	}

	// write writes names next to nodes where they cover no other name: those asked for first, then up to 40 that are seen.
	write(pen, at, within, wanted, ink, paper, size) {
		pen.font = "12px system-ui, sans-serif";
		pen.textBaseline = "middle";
		pen.lineJoin = "round";
		pen.lineWidth = 3;
		const taken = [];
		const name = i => {
			const text = this.ids[i].length > 40 ? this.ids[i].slice(0, 39) + "…" : this.ids[i], long = pen.measureText(text).width, y = at[2 * i + 1];
			const right = at[2 * i] + size + 4, x = right + long > pen.canvas.clientWidth ? Math.max(2, at[2 * i] - size - 4 - long) : right, box = [x, y - 8, x + long, y + 8];
			if (taken.some(o => box[0] < o[2] && box[2] > o[0] && box[1] < o[3] && box[3] > o[1])) return;
			taken.push(box);
			pen.strokeStyle = paper;
			pen.strokeText(text, x, y);
			pen.fillStyle = ink;
			pen.fillText(text, x, y);
		};
		for (const i of wanted) if (i >= 0 && within(i)) name(i);
		if (this.found.length || this.lit !== null) return;
		for (let k = 0, tried = 0; k < this.first.length && taken.length < 40 && tried < 400; k++) if (within(this.first[k])) { name(this.first[k]); tried++; }
	}
}
