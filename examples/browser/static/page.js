"use strict";
const find = selector => document.querySelector(selector);
const form = find("form"), canvas = find("canvas"), bar = find("progress");
let worker, graph, places = [], chosen, near = [];

// The worker computes and keeps the graph; a stopped or broken one is replaced.
function begin() {
	find("main").hidden = true;
	worker?.terminate();
	worker = new Worker("worker.js");
	worker.onmessage = ({data}) => receive(JSON.parse(data));
	worker.onerror = event => receive({error: event.message || "The worker did not start."});
}

function busy(text) {
	find("#status").textContent = text;
	bar.hidden = form.stop.disabled = !text;
	for (const button of form.querySelectorAll("button:not([name=stop])")) button.disabled = !!text;
}

function ask(request) {
	find("#error").textContent = find("#warning").textContent = "";
	find("main").hidden = true;
	find("tbody").replaceChildren();
	busy("Reading …");
	worker.postMessage(request);
}

const stages = {read: "Reading", prepare: "Preparing", filter: "Filtering", solve: "Solving", embed: "Embedding", "t-SNE": "Improving the map by t-SNE"};

function receive(m) {
	if ("ready" in m) {
		if (form.stop.disabled) find("#status").textContent = "Ready.";
	} else if ("error" in m) {
		busy("");
		find("#error").textContent = m.error;
		if (m.broken) begin();
	} else if ("warning" in m) {
		find("#warning").textContent += m.warning + "\n";
	} else if ("stage" in m) {
		busy(`${stages[m.stage] ?? m.stage} …`);
		if (m.total > 1) bar.value = m.done / m.total;
		else bar.removeAttribute("value");
	} else if ("graph" in m) {
		graph = m;
		chosen = 0; // the first table is on its way
		find("[name=node]").value = graph.ids[0];
		near = places = [];
	} else if ("map" in m) {
		places = m.map;
		find("main").hidden = false;
		find("#graph").textContent = graph.graph;
		find("#method").textContent = `${m.method} of the embedding, after ${m.seconds.toFixed(1)} s`;
		legend();
		draw();
		if (m.final) {
			busy("");
			find("#status").textContent = `Done in ${m.seconds.toFixed(1)} s.`;
		}
	} else if ("table" in m && m.node === chosen) {
		near = m.table;
		find("tbody").replaceChildren(...near.map(({Row, Score}) => {
			const line = document.createElement("tr");
			for (const text of [graph.ids[Row], className(Row), Score.toFixed(4)]) line.insertCell().textContent = text;
			line.onclick = () => choose(Row);
			return line;
		}));
		draw();
	}
}

function choose(node) {
	chosen = node;
	near = [];
	find("tbody").replaceChildren();
	find("[name=node]").value = graph.ids[node];
	worker.postMessage({node});
	draw();
}

const label = node => graph.labels?.[node] ?? -1;
const nameOf = k => graph.classes?.[k] ?? `class ${k}`;
const className = node => label(node) < 0 ? "" : nameOf(label(node));
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name);
const colour = k => k < 0 ? style("--soft") : `hsl(${(k * 137.5 + 210) % 360} 65% ${style("--light")})`;

function legend() {
	const used = [...new Set(graph.labels ?? [])].filter(k => k >= 0).sort((a, b) => a - b).slice(0, 20);
	find("#legend").replaceChildren(...used.map(k => {
		const item = document.createElement("li");
		item.textContent = `● ${nameOf(k)}`;
		item.style.color = colour(k);
		return item;
	}));
}

// onScreen are the places in pixels of the canvas, at one scale in both directions.
function onScreen() {
	const low = [0, 1].map(c => places.reduce((m, p) => Math.min(m, p[c]), Infinity));
	const high = [0, 1].map(c => places.reduce((m, p) => Math.max(m, p[c]), -Infinity));
	const side = canvas.clientWidth, scale = (side - 24) / (Math.max(high[0] - low[0], high[1] - low[1]) || 1);
	return places.map(p => [side / 2 + (p[0] - (low[0] + high[0]) / 2) * scale, side / 2 - (p[1] - (low[1] + high[1]) / 2) * scale]);
}

function draw() {
	if (!places.length) return;
	const side = canvas.clientWidth, sharp = devicePixelRatio, pen = canvas.getContext("2d");
	canvas.width = canvas.height = side * sharp;
	pen.scale(sharp, sharp);
	const at = onScreen(), size = Math.max(1.5, Math.min(5, 130 / Math.sqrt(at.length)));
	const dot = (node, radius) => { pen.beginPath(); pen.arc(...at[node], radius, 0, 7); };
	at.forEach((_, node) => { pen.fillStyle = colour(label(node)); dot(node, size); pen.fill(); });
	pen.strokeStyle = style("--ink");
	for (const {Row} of near) { dot(Row, size + 3); pen.stroke(); }
	pen.lineWidth = 3;
	dot(chosen, size + 5);
	pen.stroke();
}

function closest(event) {
	let best = -1, least = 400; // 20 pixels
	onScreen().forEach(([x, y], node) => {
		const far = (x - event.offsetX) ** 2 + (y - event.offsetY) ** 2;
		if (far < least) [best, least] = [node, far];
	});
	return best;
}

canvas.onclick = event => { const node = closest(event); if (node >= 0) choose(node); };
canvas.onmousemove = event => { const node = closest(event); canvas.title = node < 0 ? "" : graph.ids[node]; };
find("[name=node]").onchange = event => { const node = graph.ids.indexOf(event.target.value); if (node >= 0) choose(node); };
for (const button of form.querySelectorAll("[name=sample]")) button.onclick = () => ask({sample: button.value});
form.stop.onclick = () => { begin(); busy(""); find("#status").textContent = "Stopped."; };
form.onsubmit = event => {
	event.preventDefault();
	const file = name => form[name].files[0];
	ask({edges: file("edges"), features: file("features"), labels: file("labels")});
};
// A file may be dropped anywhere on its field. One that misses does not take the place of the page.
for (const field of form.querySelectorAll("label"))
	field.ondrop = ({dataTransfer}) => { field.querySelector("input").files = dataTransfer.files; };
ondragover = ondrop = event => event.preventDefault();
onresize = draw;
begin();
