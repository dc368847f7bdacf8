import { createHash } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { type SharedStoreHandle, sharedStore } from "tollgate/shared";
import type { Done, Job } from "./job.js";
import { frameLimiter } from "./limits.js";

const { limits } = workerData as { readonly limits: SharedStoreHandle };
const limiter = frameLimiter(sharedStore.attach(limits));

parentPort?.on("message", ({ id, client, frames }: Job) => {
  // Frames of one client: the key is looked up once.
  const ofClient = limiter.handle(client);
  let rendered = 0;
  while (rendered < frames && ofClient.allow({ frames: 1 })) {
    render(client, rendered);
    rendered += 1;
  }
  const retryAfterMs = rendered < frames ? limiter.peek(client, { frames: 1 }).retryAfterMs : 0;
  parentPort?.postMessage({ id, rendered, retryAfterMs } satisfies Done);
});

/** Stands for work that needs a core. */
function render(client: string, frame: number): string {
  return createHash("sha256").update(`${client} ${frame}`).digest("hex");
}
