import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { memoryStore } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { configurationRoute } from "../../src/envoy/configuration-lines.ts";
import { jsonResponse, parseJsonRequest } from "../../src/envoy/json.ts";
import { jsonRoute } from "../../src/envoy/limits-protocol.ts";
import { RateLimits } from "../../src/envoy/rate-limits.ts";
import { guarded } from "../../src/http/failure.ts";
import { routeTable } from "../../src/http/route-table.ts";
import { JSON_BODY } from "../support/json-body.ts";
import { configurationOf } from "./configurations.ts";

const CONFIGURATION = configurationOf(`
domain: d
descriptors:
  - key: address
    metadata: { tier: free }
    rate_limit: { unit: hour, requests_per_unit: 2, name: per-address }`);

/** The two routes over a socket. */
async function startRoutes(): Promise<string> {
  const limits = new RateLimits({ store: memoryStore(), clock: manualClock(), configuration: CONFIGURATION });
  const routes = routeTable({ "/json": jsonRoute(limits), "/rlconfig": configurationRoute(limits) });
  const server = createServer(guarded(routes, () => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ASK = '{"domain":"d","descriptors":[{"entries":[{"key":"address","value":"a"}]}]}';

describe("POST /json", () => {
  it("answers 200 and 429 with the JSON of Protocol Buffers", async () => {
    const url = await startRoutes();
    const answers: unknown[] = [];
    for (let i = 0; i < 3; i += 1) {
      const response = await fetch(`${url}/json`, { method: "POST", headers: JSON_BODY, body: ASK });
      answers.push([response.status, await response.json()]);
    }
    const currentLimit = { requestsPerUnit: 2, unit: "HOUR", name: "per-address" };
    const dynamicMetadata = { tier: "free" };
    const status = { code: "OK", currentLimit, durationUntilReset: "3600s" };
    expect(answers).toEqual([
      [200, { overallCode: "OK", statuses: [{ ...status, limitRemaining: 1 }], dynamicMetadata }],
      [200, { overallCode: "OK", statuses: [status], dynamicMetadata }],
      [429, { overallCode: "OVER_LIMIT", statuses: [{ ...status, code: "OVER_LIMIT" }], dynamicMetadata }],
    ]);
  });

  it.each([
    ["", "body: expected JSON"],
    ["{}", "domain: expected a text that is not empty"],
    ['{"domain":"d"}', "descriptors: expected 1 to 100, got 0"],
    ['{"domain":"d","descriptors":{}}', "descriptors: expected a list, got {}"],
    ['{"domain":"d","hitsAddend":-1}', "hitsAddend: expected a whole number from 0 to 4294967295, got -1"],
    ['{"domain":"d","descriptors":[{"limit":{"unit":"EON"}}]}', "unit: expected SECOND, MINUTE"],
  ])("answers 400 to %j", async (body, message) => {
    const response = await fetch(`${await startRoutes()}/json`, { method: "POST", headers: JSON_BODY, body });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: string }).error).toContain(message);
  });

  it("answers 405 to another method, and 413 to a body that is too long", async () => {
    const url = await startRoutes();
    const get = await fetch(`${url}/json`);
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
    const long = await fetch(`${url}/json`, { method: "POST", headers: JSON_BODY, body: " ".repeat(300_000) });
    expect(long.status).toBe(413);
  });
});

describe("a request in JSON", () => {
  it("may spell names either way, and long numbers as texts", () => {
    const entries = '"entries":[{"key":"a"}]';
    const snake = `{"domain":"d","hits_addend":2,"descriptors":[{${entries},"hits_addend":"18446744073709551615",
      "is_negative_hits":true,"limit":{"requests_per_unit":7,"unit":3}}]}`;
    const camel = `{"domain":"d","hitsAddend":2,"descriptors":[{${entries},"hitsAddend":"18446744073709551615",
      "isNegativeHits":true,"limit":{"requestsPerUnit":7,"unit":"HOUR"}}]}`;
    expect(parseJsonRequest(snake)).toEqual(parseJsonRequest(camel));
    expect(parseJsonRequest(camel)).toEqual({
      domain: "d",
      hitsAddend: 2,
      descriptors: [
        {
          entries: [{ key: "a", value: "" }],
          limit: { requestsPerUnit: 7, unit: 3 },
          hitsAddend: { value: 2 ** 64 },
          isNegativeHits: true,
        },
      ],
    });
  });

  it("is answered without defaults", () => {
    expect(jsonResponse({ overallCode: 1, statuses: [{ code: 1, limitRemaining: 0 }] })).toEqual({
      overallCode: "OK",
      statuses: [{ code: "OK" }],
    });
  });
});

describe("GET /rlconfig", () => {
  it("prints what is loaded", async () => {
    const response = await fetch(`${await startRoutes()}/rlconfig`);
    expect(await text(response.body as never)).toBe("d.address: unit=HOUR requests_per_unit=2, shadow_mode: false\n");
  });
});
