import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CHILD } from "../harness/child-process.ts";
import { spreadOf } from "../harness/figures.ts";
import { medianColumn, rangeColumn, textColumn } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import { target } from "../harness/targets.ts";
import { withFolder, yamlOfRules } from "./limits-files.ts";
import type { Plan } from "./measure.ts";
import type { Part } from "./part.ts";
import { freePort, SERVICE } from "./processes.ts";

const ROWS = {
  node: "Node with a program of one line",
  bare: "a bare server that decides nothing",
  demo: "the service without limits files",
  rules: "the service with a file of 1,000 rules",
  "rules and gRPC": "the same with a port for gRPC",
} as const;
type Row = keyof typeof ROWS;

const RULES = 1_000;

/** From the start of a process until it is ready. */
export const STARTS: Part = {
  tables: [
    {
      id: "start",
      title: "Cold start",
      rows: Object.keys(ROWS),
      columns: [
        textColumn("starts", (row) => ROWS[row as Row]),
        medianColumn("ms until ready", "readyMs", (value) => value.toFixed(0)),
        rangeColumn("readyMs", (value) => value.toFixed(0)),
        medianColumn("ms of processor time", "cpuMs", (value) => value.toFixed(0)),
      ],
    },
  ],
  targets: [
    target("cold start with 1,000 rules", "≤ 1000 ms", "start / rules / readyMs"),
    target("cold start with 1,000 rules and gRPC", "≤ 1000 ms", "start / rules and gRPC / readyMs"),
  ],
  tasks: (plan) =>
    (Object.keys(ROWS) as Row[]).map(
      (row): Task => ({
        name: `start, ${row}`,
        group: "start",
        measure: async () => [{ table: "start", row, figures: await measureStarts(row, plan) }],
      }),
    ),
};

interface StartFigures {
  readonly readyMs: number;
  readonly cpuMs: number;
  readonly [figure: string]: number;
}

/** The medians of several starts. */
async function measureStarts(row: Row, { starts }: Plan): Promise<StartFigures> {
  return withFolder(async (folder) => {
    const file = join(folder, "limits.yaml");
    await writeFile(file, yamlOfRules(RULES, "9000000/1s"));
    const all: StartFigures[] = [];
    for (let left = starts; left > 0; left -= 1) all.push(await start(row, file));
    const medianOf = (name: keyof StartFigures): number => spreadOf(all.map((one) => one[name]!)).median;
    return { readyMs: medianOf("readyMs"), cpuMs: medianOf("cpuMs") };
  });
}

async function start(row: Row, file: string): Promise<StartFigures> {
  const admin = await freePort();
  const begunMs = performance.now();
  const child = spawn(process.execPath, argsOf(row, file, admin), { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const isService = row !== "node" && row !== "bare";
    await (isService ? untilReady(`http://127.0.0.1:${admin}/readyz`, child) : once(child.stdout, "data"));
    const readyMs = performance.now() - begunMs;
    return { readyMs, cpuMs: await cpuMsOf(child.pid!) };
  } finally {
    const ended = once(child, "exit");
    if (child.kill("SIGKILL")) await ended;
  }
}

function argsOf(row: Row, file: string, admin: number): readonly string[] {
  const service = [SERVICE, "serve", "--port", "0", "--admin-port", `${admin}`];
  switch (row) {
    case "node":
      return ["-e", "console.log(0); setInterval(() => {}, 1e6)"];
    case "bare":
      return [CHILD, "bare check", "{}"];
    case "demo":
      return service;
    case "rules":
      return [...service, "--limits", file];
    case "rules and gRPC":
      return [...service, "--limits", file, "--grpc-port", "0"];
    default:
      return row satisfies never;
  }
}

const POLL_MS = 5;

/** @throws Error when the process ends before. */
async function untilReady(url: string, child: ChildProcess): Promise<void> {
  while ((await statusOf(url)) !== 200) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    await sleep(POLL_MS);
  }
}

function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (response) => resolve(response.resume().statusCode)).once("error", () =>
      resolve(undefined),
    );
  });
}

/** The kernel counts nanoseconds for each thread: the processor time of a start has too few of its ticks. */
async function cpuMsOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const texts = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8")));
  return texts.reduce((sum, text) => sum + Number(text.split(" ")[0]), 0) / 1e6;
}
