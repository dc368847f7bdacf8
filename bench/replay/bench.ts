import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../harness/child-process.ts";
import type { Figures } from "../harness/figures.ts";
import type { Bench } from "../harness/run-bench.ts";
import { SERVICE } from "../service/processes.ts";

/** What is measured. The bounds show all of it. */
const ROWS = {
  plain: "which limits would have fitted",
  limits: "what a limit would have denied",
} as const;

const CLIENTS = 10_000;
const DAY_SECONDS = 86_400;
const AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
const LIMITS = { version: 1, domains: { web: { limits: { client: { by: "ip", rate: "30/1m", burst: 60 } } } } };
/** Prints the processor time of the process, the way it came to it included. */
const TELL =
  "data:text/javascript,process.on('exit',()=>{const u=process.resourceUsage();" +
  "console.log(u.userCPUTime+u.systemCPUTime)})";

/** A day in the combined format. Some clients send far more than others. */
async function writeLog(file: string, lines: number): Promise<void> {
  const log = await open(file, "w");
  let random = 1;
  let text = "";
  for (let line = 0; line < lines; line += 1) {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    const client = Math.floor(CLIENTS * (random / 2 ** 32) ** 2);
    const time = new Date(Math.floor((line * DAY_SECONDS) / lines) * 1_000).toISOString().slice(11, 19);
    const request = `"GET /products/${line % 977}?page=${line % 7} HTTP/1.1" 200 ${line % 9_000}`;
    text += `10.0.${client >> 8}.${client & 255} - - [01/Nov/2026:${time} +0000] ${request} "-" "${AGENT}"\n`;
    if (text.length > 1 << 20 || line === lines - 1) {
      await log.write(text);
      text = "";
    }
  }
  await log.close();
}

async function processorUs(args: readonly string[]): Promise<number> {
  const { stdout } = await run(process.execPath, ["--import", TELL, SERVICE, "replay", ...args], { maxBuffer: 1e8 });
  return Number(stdout.trim().split("\n").at(-1));
}

export const BENCH: Bench = {
  name: "replay",
  packages: ["tollgate"],
  tables: [{ id: "replay", title: "Replay", rows: ROWS, columns: [] }],
  bounds: [
    { text: "lines/s of a core, without limits", is: "≥", bound: 1_500_000, of: "replay / plain / perSecond" },
    { text: "lines/s of a core, with limits", is: "≥", bound: 300_000, of: "replay / limits / perSecond" },
  ],
  async open(quick) {
    const lines = quick ? 300_000 : 1_000_000;
    const folder = await mkdtemp(join(tmpdir(), "tollgate-replay-"));
    const [log, first, limits] = ["access.log", "first.log", "limits.json"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await Promise.all([writeLog(log, lines), writeLog(first, 1), writeFile(limits, JSON.stringify(LIMITS))]);
    const measure = async (row: keyof typeof ROWS): Promise<Figures> => {
      const flags = row === "limits" ? ["--limits", limits] : ["--suggest", "100"];
      // Without the start of the process, which takes as long for any log.
      const startUs = await processorUs([first, ...flags]);
      const us = (await processorUs([log, ...flags])) - startUs;
      return { perSecond: Math.round((lines / us) * 1e6) };
    };
    return {
      tasks: (Object.keys(ROWS) as (keyof typeof ROWS)[]).map((row) => {
        return { table: "replay", rows: [row], measure: async () => ({ [row]: await measure(row) }) };
      }),
      setting: { log: `${lines} lines of ${CLIENTS} clients`, load: `${(loadavg()[0] ?? 0).toFixed(1)} at the start` },
      close: () => rm(folder, { recursive: true, force: true }),
    };
  },
};
