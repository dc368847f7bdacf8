import type { KeyDetail } from "tollgate/dashboard";
import { expect, it, onTestFinished } from "vitest";
import { readEvents } from "../../../../test/support/dashboard-events.ts";
import { startOperatedWorkers } from "./operate-workers.ts";

const OWN = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
const ADDRESS = "192.0.2.1";
const KEY = { limiter: "api/client", key: ADDRESS };
const LIMITS = "version: 1\ndomains: { api: { limits: { client: { by: ip, rate: 6/1h } } } }\n";

interface Decided {
  readonly allowed: boolean;
}

function admitted(decisions: readonly Decided[]): number {
  return decisions.filter(({ allowed }) => allowed).length;
}

it.each(["memory", "redis"] as const)("the dashboard shows all workers together, over %s", async (store) => {
  const service = await startOperatedWorkers(LIMITS, store);
  const post = (path: string, body: unknown, cookie = "") =>
    fetch(`${service.adminUrl}/${path}`, {
      method: "POST",
      headers: { ...OWN, cookie },
      body: JSON.stringify(body),
    });
  const session = await post("session", { token: "writer-0123456789" });
  const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
  const { body } = await fetch(`${service.adminUrl}/snapshots?keys=shown`, { headers: { cookie } });
  const page = await readEvents(body as ReadableStream<Uint8Array>);
  onTestFinished(() => page.cancel());
  const explain = async (): Promise<KeyDetail> => (await (await post("key", KEY, cookie)).json()) as KeyDetail;
  await explain();
  await page.find(() => true);
  const decided: readonly object[] = await service.decide({ ip: ADDRESS }, 10);
  expect(admitted(decided as readonly Decided[])).toBe(6);
  const { processes, limits, stores } = await page.find(({ points }) => points.some(({ denied }) => denied > 0));
  expect(processes).toEqual({ ready: 2, of: 2 });
  expect(limits).toMatchObject([
    { limiter: "api/client", limit: "client.rate", numbers: "6 requests at once, 6 per 1h" },
  ]);
  expect(stores.map(({ name }) => name)).toContain(store);
  const detail = await explain();
  expect(detail).toMatchObject({ allowed: false, limits: [{ capacity: 6, used: 6 }] });
  // Each worker has told its part.
  expect([admitted(detail.decisions), detail.decisions.length]).toEqual([6, 10]);
  const answer = await post("act", { action: "reset", ...KEY }, cookie);
  expect(await answer.json()).toEqual({ text: "reset: done" });
  expect(await explain()).toMatchObject({ allowed: true, limits: [{ used: 0 }] });
  expect(service.audited()).toMatchObject([{ who: "ann", action: "key.reset", key: ADDRESS }]);
});
