import { afterAll, expect, it } from "vitest";
import { WorkerProcess } from "../../../../../../test/support/workerd.ts";
import { ofFile } from "../../../of-file.ts";
import { startRedis } from "../servers/start-redis.ts";
import { UpstashServer } from "./upstash-server.ts";

interface Outcome {
  readonly allowed: boolean;
  readonly degraded?: string;
}

const redis = await ofFile(startRedis());
const upstash = await ofFile(UpstashServer.start(redis));
const bindings = { UPSTASH_URL: upstash.url, UPSTASH_TOKEN: upstash.token };
const worker = await WorkerProcess.start(new URL("upstash-worker.js", import.meta.url), { bindings });
afterAll(() => worker?.end());

it("each request of a Worker has its deadline while Upstash hangs, and finds that it is back", async () => {
  const ask = () => worker.ask<Outcome>("hurried");
  expect(await ask()).toEqual({ allowed: true });
  upstash.hang(true);
  for (let i = 0; i < 3; i += 1) expect(await ask()).toEqual({ allowed: false, degraded: "timed out" });
  // The requests before have ended, with their timers.
  const together = await Promise.all([ask(), ask(), ask()]);
  for (const { allowed, degraded } of together) {
    expect(allowed).toBe(false);
    expect(degraded).toMatch(/^(timed out|circuit open)$/);
  }
  upstash.hang(false);
  let last = await ask();
  while (last.degraded !== undefined) last = await ask();
  expect(last).toEqual({ allowed: true });
});

it.each(["consume", "wait"])("answers each of a crowd of requests for one key: %s", async (verb) => {
  const answers = await Promise.all(Array.from({ length: 60 }, () => worker.ask<Outcome>(verb)));
  for (const answer of answers) expect(answer).toEqual({ allowed: true });
});
