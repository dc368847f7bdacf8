import { spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { CHILD } from "../harness/child-process.ts";
import type { Figures } from "../harness/figures.ts";
import { freePort } from "../harness/server-program.ts";
import { SERVICE, writeLimits } from "./processes.ts";

export const STARTS = {
  bare: "a bare server",
  demo: "the service without limits files",
  rules: "the service with a file of 1,000 rules",
} as const;

export type Start = keyof typeof STARTS;

const RULES = 1_000;
const POLL_MS = 5;

/** From the start of a process until it is ready. */
export async function measureStart(row: Start): Promise<Figures> {
  const { file, remove } = await writeLimits(RULES);
  const admin = await freePort();
  const service = [SERVICE, "serve", "--port", "0", "--admin-port", `${admin}`];
  const args = { bare: [CHILD, "bare check", "{}"], demo: service, rules: [...service, "--limits", file] }[row];
  const begunMs = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  try {
    const ready = row === "bare" ? once(child.stdout, "data") : untilReady(`http://127.0.0.1:${admin}/readyz`);
    await Promise.race([ready, ended.then(() => Promise.reject(new Error("the server ended before it was ready")))]);
    return { readyMs: performance.now() - begunMs };
  } finally {
    if (child.kill("SIGKILL")) await ended;
    await remove();
  }
}

async function untilReady(url: string): Promise<void> {
  while ((await statusOf(url)) !== 200) await sleep(POLL_MS);
}

function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (response) => resolve(response.resume().statusCode)).once("error", () =>
      resolve(undefined),
    );
  });
}
