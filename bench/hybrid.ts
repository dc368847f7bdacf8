import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { drawLoad } from "./hybrid/draw.ts";
import { LOADS, type Load } from "./hybrid/loads.ts";
import { localTable, measureLocalCalls } from "./hybrid/local-calls.ts";
import { type Measured, measureFleet } from "./hybrid/measure.ts";
import { tableOf } from "./hybrid/report.ts";
import { scaleTableOf, simulateScale } from "./hybrid/scale.ts";
import { startRedis } from "./redis/server.ts";

// `npm run bench:hybrid`: four processes that share limits in one Redis, and simulated fleets. Prints, and writes
// docs/bench-hybrid.md and its pictures. `BENCH_SECONDS` sets how long each load takes: 30 s by default.
// `--only <text>` prints the loads with this text, and `--only local` local calls. `--write pictures`, `--write scale`
// and `--write local` write that part alone.
const PAGE = fileURLToPath(new URL("../../docs/bench-hybrid.md", import.meta.url));
const PICTURES = fileURLToPath(new URL("../../docs/bench-hybrid", import.meta.url));
const STRATEGIES = ["lease", "threshold", "strict"] as const;
const seconds = Number(process.env["BENCH_SECONDS"] ?? 30);
const only = option("--only");
const part = option("--write");
const isWhole = only === undefined && part === undefined;

const server = await startRedis();
if (part === "local" || only === "local" || isWhole) await measureLocal(server.port);
if (part === "pictures" || (only ?? "local") !== "local" || isWhole) await measureLoads(server.port);
if (part === "scale" || isWhole) await measureScale(server.port);
await server.stop();

async function measureLocal(port: number): Promise<void> {
  const table = localTable([await measureLocalCalls(port, 1), await measureLocalCalls(port, 1_000)]);
  process.stdout.write(`${table}\n`);
  if (only === undefined) write("local calls", table);
}

async function measureScale(port: number): Promise<void> {
  const table = scaleTableOf(await simulateScale(port));
  process.stdout.write(`\n${table}\n`);
  write("scale", table);
}

async function measureLoads(port: number): Promise<void> {
  const measured: Measured[] = [];
  const isAsked = (load: Load) => load.title.includes(only ?? "") && (part !== "pictures" || isDrawn(load));
  for (const load of LOADS.filter(isAsked)) {
    for (const strategy of STRATEGIES) {
      measured.push(await measureFleet(port, load, strategy, seconds));
      process.stdout.write(`${load.title}, ${strategy}\n`);
    }
    if (only === undefined && isDrawn(load)) draw(load, measured);
  }
  const results = `${settingOf()}\n\n${tableOf(measured)}`;
  process.stdout.write(`${results}\n`);
  if (only !== undefined) return;
  if (part === undefined) write("results", results);
  const drawn = LOADS.filter(isDrawn);
  write("pictures", drawn.map(({ id, title }) => `![${title}](bench-hybrid/${id}.svg)`).join("\n\n"));
}

function settingOf(): string {
  const date = new Date().toISOString().slice(0, 10);
  return `Measured on ${date}, ${seconds} s for each row, Node ${process.version}.`;
}

/** Many keys have many limits. */
function isDrawn({ keys }: Load): boolean {
  return keys === 1;
}

function draw(load: Load, measured: readonly Measured[]): void {
  mkdirSync(PICTURES, { recursive: true });
  const drawn = measured.filter((one) => one.load === load);
  writeFileSync(`${PICTURES}/${load.id}.svg`, drawLoad(load, drawn));
}

function option(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

function write(section: string, content: string): void {
  const text = readFileSync(PAGE, "utf8");
  const begins = `<!-- bench: ${section} -->`;
  const from = text.indexOf(begins) + begins.length;
  const to = text.indexOf("<!-- bench ends -->", from);
  writeFileSync(PAGE, `${text.slice(0, from)}\n\n${content}\n\n${text.slice(to)}`);
}
