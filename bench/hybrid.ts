import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LOADS } from "./hybrid/loads.ts";
import { type LocalCalls, localTable, measureLocalCalls } from "./hybrid/local-calls.ts";
import { type Measured, measureFleet } from "./hybrid/measure.ts";
import { picturesOf, tableOf } from "./hybrid/report.ts";
import { startRedis } from "./redis/server.ts";

// `npm run bench:hybrid`: four processes that share limits in one Redis. Prints, and writes docs/bench-hybrid.md.
// `BENCH_SECONDS` sets how long each load takes: 30 s by default. `--only <text>` prints the loads with this text.
const PAGE = fileURLToPath(new URL("../../docs/bench-hybrid.md", import.meta.url));
const seconds = Number(process.env["BENCH_SECONDS"] ?? 30);
const only = process.argv[process.argv.indexOf("--only") + 1] ?? "";
const isPart = process.argv.includes("--only");

const server = await startRedis();
const local: LocalCalls[] = [];
if (!isPart || only === "local") for (const keys of [1, 1_000]) local.push(await measureLocalCalls(server.port, keys));
process.stdout.write(`${localTable(local)}\n`);
const measured: Measured[] = [];
for (const load of LOADS.filter(({ title }) => !isPart || title.includes(only))) {
  for (const strategy of ["lease", "threshold", "strict"] as const) {
    measured.push(await measureFleet(server.port, load, strategy, seconds));
    process.stdout.write(`${load.title}, ${strategy}\n`);
  }
}
await server.stop();
const setting = `Measured on ${new Date().toISOString().slice(0, 10)}, ${seconds} s for each row, Node ${process.version}.`;
const results = `${setting}\n\n${tableOf(measured)}`;
const pictures = `\`\`\`text\n${picturesOf(measured.filter(({ load, strategy }) => strategy === "lease" || load.id === "2"))}\n\`\`\``;
process.stdout.write(`${results}\n\n${pictures}\n`);
const sections = { results, "local calls": localTable(local), pictures };
if (!isPart) {
  let text = readFileSync(PAGE, "utf8");
  for (const [section, content] of Object.entries(sections)) text = page(text, section, content);
  writeFileSync(PAGE, text);
}

function page(text: string, section: string, content: string): string {
  const begins = `<!-- bench: ${section} -->`;
  const [from, to] = [text.indexOf(begins) + begins.length, text.indexOf("<!-- bench ends -->", text.indexOf(begins))];
  return `${text.slice(0, from)}\n\n${content}\n\n${text.slice(to)}`;
}
