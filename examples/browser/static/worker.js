"use strict";
importScripts("wasm_exec.js");

// The library, which leaves the function answer. It ends only when it breaks off.
const go = new Go();
const ready = WebAssembly.instantiateStreaming(fetch("coles.wasm"), go.importObject).then(({instance}) => {
	go.run(instance).then(() => fail("The computation broke off, perhaps for want of memory.", true));
});
ready.catch(fail);

function fail(reason, broken = false) { postMessage(JSON.stringify({error: String(reason), broken})); }

async function ask(request) {
	await ready;
	const start = 1 << 16; // of a file whose first lines are wanted
	for (const part of ["edges", "features", "labels", "preview"])
		if (request[part]) request[part] = {name: request[part].name, bytes: new Uint8Array(await (part === "preview" ? request[part].slice(0, start) : request[part]).arrayBuffer())};
	answer(request);
}

onmessage = ({data}) => ask(data).catch(fail);
