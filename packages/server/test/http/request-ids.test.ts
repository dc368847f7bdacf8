import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { call } from "../support/call.ts";
import { startTestService } from "../support/test-service.ts";

const MADE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function idOf(url: string, sent?: string | string[]): Promise<unknown> {
  const { headers } = await call(url, sent === undefined ? {} : { headers: { "X-Request-Id": sent } });
  return headers["x-request-id"];
}

describe("the id of a request", () => {
  it("is on no response unless requests have ids", async () => {
    const { url } = await startTestService({ trustProxy: 1 });
    expect(await idOf(url, "from-the-proxy")).toBeUndefined();
  });

  it("is on every response, each time another", async () => {
    const { url } = await startTestService({ requestIds: true, capacity: 1, clock: manualClock() });
    const ids: unknown[] = [];
    for (const path of ["/", "/", "/healthz", "/nowhere"]) ids.push(await idOf(url + path));
    for (const id of ids) expect(id).toMatch(MADE);
    expect(new Set(ids).size).toBe(4);
  });

  it.each(["4bf92f3577b34da6a3ce929d0e0e4736", "a", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "a.b:c+d/e_f=", "x".repeat(128)])(
    "is that of a trusted proxy: %s",
    async (id) => {
      const { url } = await startTestService({ requestIds: true, trustProxy: "loopback" });
      expect(await idOf(url, id)).toBe(id);
    },
  );

  it.each(["", "x".repeat(129), "two words", "a,b", 'a"b', "a<script>", "naïve", ["one", "two"]])(
    "is made if a trusted proxy sends %j",
    async (id) => {
      const { url } = await startTestService({ requestIds: true, trustProxy: 1 });
      expect(await idOf(url, id)).toMatch(MADE);
    },
  );

  it.each([false, ["192.0.2.0/24"]])("is made for peers that are no proxy: --trust-proxy %j", async (trustProxy) => {
    const { url } = await startTestService({ requestIds: true, trustProxy: trustProxy as false });
    expect(await idOf(url, "forged")).toMatch(MADE);
  });
});
