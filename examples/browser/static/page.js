"use strict";
const find = selector => document.querySelector(selector);
const form = find("form"), canvas = find("canvas"), bar = find("progress");
let worker, graph, places = [], chosen, near = [], shown; // shown: what colours the nodes

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
}

// What is asked for while something else is computed takes its place.
function ask(request, name) {
	if (!form.stop.disabled) begin();
	find("#error").textContent = find("#warning").textContent = "";
	find("main").hidden = true;
	find("tbody").replaceChildren();
	find("#name").textContent = name;
	busy("Loading …");
	worker.postMessage(request);
}

// want asks for something of the graph that is shown; it waits for a better map.
function want(what) {
	find("#error").textContent = "";
	busy("Waiting …");
	worker.postMessage({want: what, clusters: Number(find("[name=clusters]").value)});
}

const stages = {classify: "Predicting", cluster: "Clustering", read: "Reading", prepare: "Preparing", filter: "Filtering", solve: "Solving", embed: "Embedding", "t-SNE": "Improving the map by t-SNE"};

function receive(m) {
	if ("error" in m) {
		busy("");
		find("#error").textContent = m.error;
		if (m.broken) begin();
		if (graph) byLabels();
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
		byLabels();
	} else if ("map" in m) {
		places = m.map;
		find("main").hidden = false;
		find("#graph").textContent = graph.graph;
		find("#method").textContent = `${m.method} of the embedding`;
		const [width, height] = [0, 1].map(c => extent(c).size);
		canvas.style.aspectRatio = Math.min(2, Math.max(.8, width / height)) || 1;
		draw();
		if (m.final) {
			busy("");
			find("#status").textContent = `Done in ${m.seconds.toFixed(1)} s.`;
		}
	} else if ("groups" in m) {
		busy("");
		find("#status").textContent = "Done.";
		if (m.csv.file === `${find("[name=by]:checked").value}.csv`) show(m); // still wanted
	} else if ("file" in m) {
		busy("");
		find("#status").textContent = "Done.";
		save(m);
	} else if ("table" in m && m.node === chosen) {
		near = m.table;
		list();
		draw();
	}
}

function list() {
	find("tbody").replaceChildren(...near.map(({Row, Score}) => {
		const line = document.createElement("tr");
		for (const text of [graph.ids[Row], group(Row) < 0 ? "" : nameOf(group(Row)), Score.toFixed(4)]) line.insertCell().textContent = text;
		line.onclick = () => choose(Row);
		return line;
	}));
}

function save({file, text}) {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(new Blob([text], {type: "text/csv"}));
	link.download = file;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function choose(node) {
	chosen = node;
	near = [];
	find("tbody").replaceChildren();
	find("[name=node]").value = graph.ids[node];
	worker.postMessage({node});
	draw();
}

const group = node => shown.groups[node] ?? -1;
const nameOf = k => k < 0 ? "no label" : shown.names?.[k] ?? `${shown.noun} ${k}`;
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name);
const colour = (k, soft = "var(--soft)", light = "var(--light)") => k < 0 ? soft : `hsl(${(k * 137.5 + 210) % 360} 65% ${light})`;

// show colours the nodes by groups: labels, predictions or clusters.
function show(groups) {
	shown = groups;
	find("#note").textContent = shown.note && `Colours: ${shown.note}.`;
	find("[name=groups]").hidden = !shown.csv;
	find("[name=groups]").textContent = `Download ${shown.csv?.file}`;
	const used = [...new Set(shown.groups)].sort((a, b) => a - b).slice(0, 20);
	find("#legend").replaceChildren(...used.map(k => {
		const item = document.createElement("li"), dot = document.createElement("span");
		dot.style.color = colour(k);
		dot.textContent = "● ";
		item.append(dot, nameOf(k));
		return item;
	}));
	list();
	draw();
}

function byLabels() {
	const groups = graph.labels ?? [], used = new Set(groups);
	find("[value=classes]").checked = true;
	find("[value=predictions]").disabled = !used.has(-1) || used.size < 3;
	show({groups, names: graph.classes, noun: "class", note: ""});
}

function extent(c) {
	const low = places.reduce((m, p) => Math.min(m, p[c]), Infinity), high = places.reduce((m, p) => Math.max(m, p[c]), -Infinity);
	return {size: high - low, middle: (low + high) / 2};
}

// onScreen are the places in pixels of the canvas, at one scale in both directions.
function onScreen() {
	const x = extent(0), y = extent(1), width = canvas.clientWidth, height = canvas.clientHeight;
	const scale = Math.min((width - 24) / (x.size || 1), (height - 24) / (y.size || 1));
	return places.map(p => [width / 2 + (p[0] - x.middle) * scale, height / 2 - (p[1] - y.middle) * scale]);
}

function draw() {
	if (!places.length) return;
	const sharp = devicePixelRatio, pen = canvas.getContext("2d"), soft = style("--soft"), light = style("--light");
	canvas.width = canvas.clientWidth * sharp;
	canvas.height = canvas.clientHeight * sharp;
	pen.scale(sharp, sharp);
	const at = onScreen(), size = Math.max(1.5, Math.min(5, 130 / Math.sqrt(at.length)));
	const dot = (node, radius) => { pen.beginPath(); pen.arc(...at[node], radius, 0, 7); };
	at.forEach((_, node) => { pen.fillStyle = colour(group(node), soft, light); dot(node, size); pen.fill(); });
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
for (const button of form.querySelectorAll("[name=sample]")) button.onclick = () => ask({sample: button.value}, button.textContent);
find("fieldset").onchange = ({target}) => {
	if (target.type === "number") find("[value=clusters]").checked = true;
	const by = find("[name=by]:checked").value;
	if (by === "classes") byLabels();
	else want(by);
};
find("[name=vectors]").onclick = () => want("vectors");
find("[name=groups]").onclick = () => save(shown.csv);
form.stop.onclick = () => { begin(); busy(""); find("#status").textContent = "Stopped."; };
form.onsubmit = event => {
	event.preventDefault();
	const file = name => form[name].files[0];
	ask({edges: file("edges"), features: file("features"), labels: file("labels")}, file("edges").name);
};
// A file may be dropped anywhere on its field. One that misses does not take the place of the page.
for (const field of form.querySelectorAll("label"))
	field.ondrop = ({dataTransfer}) => { field.querySelector("input").files = dataTransfer.files; };
ondragover = ondrop = event => event.preventDefault();
onresize = matchMedia("(prefers-color-scheme: dark)").onchange = draw;
begin();
form.querySelector("[name=sample]").click();
