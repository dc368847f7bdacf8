import { describe, expect, it } from "vitest";
import type { Peers } from "../../src/limits/peers.ts";
import { call } from "../support/call.ts";
import { JSON_BODY } from "../support/json-body.ts";
import { limitsFile } from "../support/limits-file.ts";
import { startTestService } from "../support/test-service.ts";

const LIMITS = "version: 1\ndomains: { api: { limits: { all: { quota: 9/1d } } } }\n";

async function startAmongPeers() {
  const asked: unknown[] = [];
  let answer: (question: unknown) => Promise<unknown> = async () => undefined;
  const peers: Peers = {
    own: "1",
    names: new Set(["1", "2", "3"]),
    countInPrimary: false,
    ask: async (peer, question) => {
      asked.push([peer, question]);
      return peer === "2" ? { status: 200, body: {} } : undefined;
    },
    onQuestion: (own) => {
      answer = own;
    },
  };
  const { application } = await limitsFile(LIMITS);
  const { url } = await startTestService({ application, peers });
  const decide = async (request: object) => {
    const { status, body } = await call(`${url}/v1/decide`, {
      method: "POST",
      headers: JSON_BODY,
      body: JSON.stringify(request),
    });
    return { status, ...(JSON.parse(body) as { readonly reservation?: string; readonly remaining?: number }) };
  };
  return { asked, decide, answer: (question: unknown) => answer(question) };
}

describe("reservations of several processes", () => {
  it("are settled by the process that their id names", async () => {
    const { asked, decide } = await startAmongPeers();
    const settle = { verb: "settle", reservation: "2.x", cost: 1 };
    expect((await decide(settle)).status).toBe(200);
    expect((await decide({ verb: "cancel", reservation: "3.x" })).status).toBe(503);
    expect((await decide({ verb: "cancel", reservation: "x" })).status).toBe(404);
    expect(asked).toEqual([
      ["2", settle],
      ["3", { verb: "cancel", reservation: "3.x" }],
    ]);
  });

  it.each(["primary.x", "4.x", "01.x", "1e0.x", ".x", "toString.x"])(
    "are unknown, and ask no process, if their id names none of them: %s",
    async (reservation) => {
      const { asked, decide } = await startAmongPeers();
      expect((await decide({ verb: "settle", reservation, cost: 1 })).status).toBe(404);
      expect(asked).toEqual([]);
    },
  );

  it("are settled here for others", async () => {
    const { asked, decide, answer } = await startAmongPeers();
    const { reservation = "" } = await decide({ verb: "reserve", domain: "api", cost: 5 });
    expect(reservation).toMatch(/^1\./);
    expect(await answer({ verb: "settle", reservation, cost: 2 })).toMatchObject({ status: 200 });
    expect(await answer({ verb: "settle", reservation, cost: 2 })).toMatchObject({ status: 404 });
    expect((await decide({ verb: "peek", domain: "api", cost: 0 })).remaining).toBe(7);
    expect(asked).toEqual([]);
  });

  it.each(["01.x", "1e0.x", "2.x"])(
    "are not looked for elsewhere on behalf of another process: %s",
    async (reservation) => {
      const { asked, answer } = await startAmongPeers();
      expect(await answer({ verb: "cancel", reservation })).toMatchObject({ status: 404 });
      expect(asked).toEqual([]);
    },
  );
});
