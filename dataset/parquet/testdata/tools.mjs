// node tools.mjs write FOLDER: tables, edges and vectors by DuckDB and polars, in files of Parquet and, to compare
// with, as these read them, JSON lines.
// node tools.mjs read FILE: the rows of a file of Parquet or JSON lines by both, as JSON lines.
import { DuckDBInstance } from "@duckdb/node-api";
import pl from "nodejs-polars";
import fs from "node:fs";

const [task, path] = process.argv.slice(2);
const db = await (await DuckDBInstance.create(":memory:")).connect();
const plain = (rows) => rows.map((r) => JSON.stringify(r, (_, v) => (typeof v === "bigint" ? Number(v) : v))).join("\n");

if (task === "read") {
	const reader = await db.runAndReadAll(`select * from '${path}'`);
	console.log(plain(reader.getRowObjectsJson()));
	if (path.endsWith(".parquet")) console.log(plain(pl.readParquet(path).toRecords()));
	process.exit(0);
}

const signed = "TINYINT SMALLINT INTEGER BIGINT HUGEINT".split(" "), unsigned = "UTINYINT USMALLINT UINTEGER UBIGINT".split(" ");
const fractions = "FLOAT DOUBLE DECIMAL(4,1) DECIMAL(9,2) DECIMAL(18,3) DECIMAL(38,4)".split(" ");
const times = "TIMESTAMP TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS TIMESTAMPTZ".split(" ");
const columns = [
	...signed.map((t) => [t, `(i*31)%120-60`]),
	...unsigned.map((t) => [t, `(i*31)%120`]),
	...fractions.map((t) => [t, `(((i*37)%101)-50)/4.0`]),
	...times.map((t) => [t, `TIMESTAMP '2024-02-28 23:59:00' + (i*977) * INTERVAL 1 SECOND`]),
	["BOOLEAN", `(i*7)%3=0`], ["DATE", `DATE '1969-12-20' + (i%400)::INTEGER`], ["VARCHAR", `['Acme','Böhm & Co','x'][1+i%3]`], ["kind", `['a','b','c'][1+i%3]`],
];
await db.run("create type kind as enum ('a','b','c')");
const codecs = ["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"];
for (const rows of [1, 40, 3000]) for (const nulls of [0, 1]) {
	const cells = columns.map(([type, value], k) => `case when ${nulls} = 1 and (i+${k})%5 = 0 then null else (${value})::${type} end as c${k}`);
	const of = {
		table: `select 'n'||i as id, ${cells.join(", ")} from range(${rows}) r(i)`,
		edges: `select 'n'||(i%97) as source, 'n'||((i*7+1)%89) as target, (1+i%5)::FLOAT as weight from range(${rows}) r(i)`,
		numbers: `select (i%97)::INTEGER as source, ((i*7+1)%89)::UBIGINT as target, (1+i%5)::INTEGER as weight from range(${rows}) r(i)`,
		floats: `select 'n'||i as id, [i/3.0::FLOAT, -i::FLOAT, 0.5::FLOAT] as vector from range(${rows}) r(i)`,
		doubles: `select i::INTEGER as id, [(i/3)::DOUBLE, -i::DOUBLE, 0.1::DOUBLE] as vector from range(${rows}) r(i)`,
		arrays: `select i::UINTEGER as id, [(i/3)::DOUBLE, -i::DOUBLE, 0.1::DOUBLE]::DOUBLE[3] as vector from range(${rows}) r(i)`,
	};
	for (const [name, query] of Object.entries(of)) {
		if (nulls && name !== "table") continue;
		await db.run(`copy (${query}) to '${path}/duckdb-${name}-${rows}-${nulls}.json' (format json)`);
		for (const codec of codecs) for (const version of ["V1", "V2"])
			await db.run(`copy (${query}) to '${path}/duckdb-${name}-${rows}-${nulls}-${codec}-${version}.parquet' (format parquet, compression ${codec}, parquet_version ${version}, row_group_size 2048)`);
	}
	const all = [...Array(rows).keys()];
	const some = (name, k, value, type) => pl.Series(name, all.map((i) => (nulls && (i + k) % 5 === 0 ? null : value(i))), type);
	const frames = {
		table: pl.DataFrame([
			pl.Series("id", all.map((i) => "n" + i), pl.Utf8),
			...[pl.Int8, pl.Int16, pl.Int32, pl.UInt8, pl.UInt16, pl.UInt32, pl.Float32, pl.Float64].map((t, k) => some("c" + k, k, (i) => (i * 31) % 120, t)),
			some("yes", 1, (i) => i % 3 === 0, pl.Bool), some("word", 2, (i) => ["Acme", "Böhm", "x"][i % 3], pl.Utf8),
			some("when", 3, (i) => new Date(Date.UTC(2024, 0, 1 + (i % 300))), pl.Datetime("ms")),
		]).withColumn(pl.col("word").cast(pl.Categorical).alias("kind")),
		doubles: pl.DataFrame({ id: all.map((i) => "n" + i), vector: all.map((i) => [i / 3, -i, 0.5]) }),
		edges: pl.DataFrame({ source: all.map((i) => "n" + (i % 97)), target: all.map((i) => "n" + ((i * 7 + 1) % 89)), weight: all.map((i) => 1 + (i % 5)) }),
	};
	for (const [name, frame] of Object.entries(frames)) {
		if (nulls && name !== "table") continue;
		fs.writeFileSync(`${path}/polars-${name}-${rows}-${nulls}.json`, plain(frame.toRecords()));
		for (const codec of ["uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4"]) for (const groups of [rows, 700])
			frame.writeParquet(`${path}/polars-${name}-${rows}-${nulls}-${codec}-${groups}.parquet`, { compression: codec, rowGroupSize: groups });
	}
}
