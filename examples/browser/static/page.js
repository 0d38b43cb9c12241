"use strict";
const find = selector => document.querySelector(selector);
const form = find("form"), bar = find("progress");
const map = new NodeMap(find("#map"), node => worker.postMessage({node}));
let worker, graph, shown; // shown: what colours the nodes

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
	find("#advice").replaceChildren();
	find("main").hidden = true;
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

const stages = {classify: "Predicting", cluster: "Clustering", "find the nearest rows": "Finding the nearest rows", "build the graph": "Building the graph", read: "Reading", prepare: "Preparing", filter: "Filtering", solve: "Solving", embed: "Embedding", "t-SNE": "Improving the map by t-SNE"};

function receive(m) {
	if ("error" in m) {
		busy("");
		find("#error").textContent = m.error;
		advise(m.advice ?? []);
		if (m.broken) begin();
		if (graph) byLabels();
	} else if ("warning" in m) {
		find("#warning").textContent += m.warning + "\n";
		advise(m.advice ?? []);
	} else if ("stage" in m) {
		busy(`${stages[m.stage] ?? m.stage} …`);
		if (m.total > 1) bar.value = m.done / m.total;
		else bar.removeAttribute("value");
	} else if ("graph" in m) {
		graph = m;
		map.show(graph);
		byLabels();
	} else if ("map" in m) {
		find("main").hidden = false;
		find("#graph").textContent = graph.graph;
		find("#method").textContent = `${m.method} of the embedding`;
		map.place([{title: "", places: m.map.flat()}]);
		if (m.final) {
			busy("");
			find("#status").textContent = `Done in ${m.seconds.toFixed(1)} s.`;
		}
	} else if ("preview" in m) {
		preview(m.preview ?? []);
	} else if ("groups" in m) {
		busy("");
		find("#status").textContent = "Done.";
		if (m.csv.file === `${find("[name=by]:checked").value}.csv`) show(m); // still wanted
	} else if ("file" in m) {
		busy("");
		find("#status").textContent = "Done.";
		save(m);
	} else if ("table" in m) {
		map.list(m.table, m.node);
	}
}

// advise offers the options that may help: those of one value as buttons that set it and read again, others to look at.
function advise(all) {
	find("#advice").hidden = !all.length && !find("#advice").childElementCount;
	for (const {field, value} of all) {
		const control = form[field];
		if (!control) continue;
		const button = document.createElement("button"), label = control.labels[0].textContent.trim().split("\n")[0];
		button.type = "button";
		button.textContent = control.type === "checkbox" || value ? `${label}${value ? `: ${value}` : ""}` : `${label} …`;
		button.onclick = () => {
			find("details").open = true;
			if (control.type === "checkbox") control.checked = true;
			else if (value) control.value = value;
			else return control.focus();
			mark();
			form.requestSubmit();
		};
		find("#advice").append(button);
	}
}

// preview shows the first lines of the edges, under buttons that choose the columns of an edge.
function preview(lines) {
	const width = Math.max(0, ...lines.map(line => line.length)), [head, body] = ["thead", "tbody"].map(part => find(`#preview ${part}`));
	find("#preview").hidden = !width;
	const row = document.createElement("tr");
	for (let k = 1; k <= width; k++) {
		const cell = document.createElement("th"), button = document.createElement("button");
		button.type = "button";
		button.onclick = () => {
			const columns = form.Columns.value.split(",").filter(Boolean), at = columns.indexOf(String(k));
			if (at >= 0) columns.splice(at, 1);
			else columns.push(k);
			form.Columns.value = columns.slice(0, 3).join(",");
			mark();
		};
		cell.append(button);
		row.append(cell);
	}
	head.replaceChildren(row);
	body.replaceChildren(...lines.map(line => {
		const row = document.createElement("tr");
		for (const field of line) row.insertCell().textContent = field;
		return row;
	}));
	mark();
}

// mark writes over the columns what they are.
function mark() {
	const columns = form.Columns.value.split(",");
	document.querySelectorAll("#preview th button").forEach((button, k) => {
		button.textContent = `${k + 1} ${["from", "to", "weight"][columns.indexOf(String(k + 1))] ?? ""}`;
	});
}

function save({file, text}) {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(new Blob([text], {type: "text/csv"}));
	link.download = file;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// show colours the nodes by groups: labels, predictions or clusters.
function show(groups) {
	shown = groups;
	find("#note").textContent = shown.note && `Colours: ${shown.note}.`;
	find("[name=groups]").hidden = !shown.csv;
	find("[name=groups]").textContent = `Download ${shown.csv?.file}`;
	map.colour(shown);
}

function byLabels() {
	const groups = graph.labels ?? [], used = new Set(groups);
	find("[value=classes]").checked = true;
	find("[value=predictions]").disabled = !used.has(-1) || used.size < 3;
	show({groups, names: graph.classes, noun: "class", note: ""});
}

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
	const file = name => form[name].files[0], options = {Columns: form.Columns.value.split(",").filter(Boolean).map(Number), Header: Number(form.Header.value)};
	for (const name of ["Missing", "MissingRows", "Repeats", "LabelColumn", "Weight"]) options[name] = form[name].value;
	for (const name of ["SkipUnknown", "Unweighted", "Bipartite"]) options[name] = form[name].checked;
	ask({edges: file("edges"), features: file("features"), labels: file("labels"), options: JSON.stringify(options)}, (file("edges") ?? file("features"))?.name ?? "");
};
form.edges.onchange = () => { form.Columns.value = ""; if (form.edges.files[0]) worker.postMessage({preview: form.edges.files[0]}); else preview([]); };
form.Columns.oninput = mark;
form.onreset = () => preview([]);
// A file may be dropped anywhere on its field. One that misses does not take the place of the page.
for (const field of form.querySelectorAll(".files label"))
	field.ondrop = ({dataTransfer}) => { const input = field.querySelector("input"); input.files = dataTransfer.files; input.onchange?.(); };
ondragover = ondrop = event => event.preventDefault();
begin();
form.querySelector("[name=sample]").click();
