import { once } from "node:events";
import { getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";

const MODULE = new URL("../../dist/limits/thread-priority.js", import.meta.url);

/** The number of a thread is also the one by which Linux knows its priority. */
const CODE = `
  import { readlinkSync } from "node:fs";
  import { getPriority } from "node:os";
  import { basename } from "node:path";
  import { parentPort } from "node:worker_threads";
  import { lowerPriority } from ${JSON.stringify(MODULE.href)};
  lowerPriority();
  parentPort.postMessage(getPriority(Number(basename(readlinkSync("/proc/thread-self")))));
`;

// Elsewhere threads have no priorities of their own.
describe.runIf(process.platform === "linux")("a thread of low priority", () => {
  it("lets the other threads of its process go first", async () => {
    const before = getPriority(process.pid);
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(CODE)}`));
    const [priority] = (await once(worker, "message")) as [number];
    expect(priority).toBe(Math.max(before, 10));
    expect(getPriority(process.pid)).toBe(before);
  });
});
