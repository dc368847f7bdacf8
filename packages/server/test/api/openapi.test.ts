import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { JSON_BODY } from "../support/json-body.ts";
import { limitsFile } from "../support/limits-file.ts";
import { startTestService } from "../support/test-service.ts";

interface Description {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, object>> }>>>
  >;
  readonly components: object;
}

const description = parse(
  readFileSync(new URL("../../../../docs/openapi.yaml", import.meta.url), "utf8"),
) as Description;

const schemas = new Ajv2020({ strict: false }).addSchema(description, "openapi");

const NO_FAULTS: readonly unknown[] = [];

/** What is wrong with a value by a schema of the description. */
function faults(pointer: string, value: unknown): unknown {
  const validate = schemas.getSchema(`openapi#${pointer}`);
  if (validate === undefined) throw new Error(`${pointer}: expected a schema`);
  return validate(value) === true ? NO_FAULTS : [value, validate.errors];
}

const LIMITS = `
version: 1
domains:
  api:
    limits:
      client: { by: ip, rate: 2/1m }
      staged: { match: { path: /new }, by: ip, rate: 1/1m, mode: shadow }
`;
const ANN = { ip: "192.0.2.1" };
const ABOUT = { domain: "api", facts: ANN };

/** Calls that the service accepts, whether or not it allows them. */
const GOOD: readonly object[] = [
  ABOUT,
  { ...ABOUT, verb: "peek", cost: 2 },
  {
    ...ABOUT,
    facts: {
      ...ANN,
      path: "/new?a=b",
      header: { "X-A": "b", "x-b": ["c", "d"] },
      query: { q: ["e"] },
      cookie: {},
      descriptor: {},
    },
  },
  { ...ABOUT, facts: { ...ANN, path: "/new", method: "GET", host: "h" } },
  { ...ABOUT, verb: "reserve", cost: { requests: 0 } },
  { ...ABOUT, verb: "charge", cost: 1 },
  { ...ABOUT, verb: "refund", cost: { requests: 1 } },
  { ...ABOUT, verb: "block", for: "1m", reason: "abuse" },
  { ...ABOUT, verb: "consume" },
  { ...ABOUT, verb: "unblock" },
  { ...ABOUT, verb: "block", until: 60_000 },
  { ...ABOUT, verb: "reset" },
  { requests: [ABOUT, { ...ABOUT, domain: "nowhere" }, { verb: "cancel", reservation: "x" }] },
];

/** Calls that it refuses with a status. */
const BAD: readonly (readonly [number, object])[] = [
  [400, {}],
  [400, { ...ABOUT, domain: "nowhere" }],
  [404, { verb: "settle", reservation: "x", cost: 1 }],
  [404, { verb: "cancel", reservation: "x" }],
];

async function startApi(): Promise<(body: string, headers?: Record<string, string>) => Promise<Response>> {
  const { application } = await limitsFile(LIMITS);
  const { url } = await startTestService({ application, clock: manualClock() });
  return (body, headers = JSON_BODY) => fetch(`${url}/v1/decide`, { method: "POST", headers, body });
}

const POST = "/paths/~1v1~1decide/post";
const BODY = "content/application~1json/schema";

describe("docs/openapi.yaml", () => {
  it("describes the calls that the service accepts, and their answers", async () => {
    const post = await startApi();
    for (const call of GOOD) {
      expect(faults(`${POST}/requestBody/${BODY}`, call)).toEqual([]);
      const response = await post(JSON.stringify(call));
      const answer: unknown = await response.json();
      expect([response.status, answer]).toEqual([200, answer]);
      expect(faults(`${POST}/responses/200/${BODY}`, answer)).toEqual([]);
    }
  });

  it("describes the answers to calls that it refuses", async () => {
    const post = await startApi();
    for (const [status, call] of BAD) {
      const response = await post(JSON.stringify(call));
      expect(response.status).toBe(status);
      expect(faults(`${POST}/responses/${status}/${BODY}`, await response.json())).toEqual([]);
    }
    const others = [
      post(" ".repeat(600_000)),
      post("{}", { "content-type": "text/plain" }),
      post("{}", { ...JSON_BODY, origin: "null" }),
    ];
    for (const response of await Promise.all(others))
      expect(faults(`${POST}/responses/${response.status}/${BODY}`, await response.json())).toEqual([]);
  });

  it("refuses what the service refuses", async () => {
    const post = await startApi();
    const malformed: readonly unknown[] = [
      {},
      { domain: 1 },
      { ...ABOUT, verb: "take" },
      { ...ABOUT, facts: { address: "x" } },
      { ...ABOUT, cots: 1 },
      { verb: "charge", domain: "api" },
      { verb: "settle", cost: 1 },
      { verb: "block", domain: "api" },
      { verb: "block", domain: "api", for: "1m", until: 1 },
      { requests: [] },
    ];
    for (const call of malformed) {
      const { status } = await post(JSON.stringify(call));
      const isDescribed = faults(`${POST}/requestBody/${BODY}`, call) === NO_FAULTS;
      expect({ call, status, isDescribed }).toEqual({ call, status: 400, isDescribed: false });
    }
  });

  it("lists the routes of the service", async () => {
    const { application } = await limitsFile(LIMITS);
    const { url } = await startTestService({ application });
    for (const [path, methods] of Object.entries(description.paths)) {
      for (const method of Object.keys(methods)) {
        const { status } = await fetch(`${url}${path}`, { method: method.toUpperCase() });
        expect({ method, path, exists: status !== 404 && status !== 405 }).toEqual({ method, path, exists: true });
      }
    }
    const health: unknown = await (await fetch(`${url}/healthz`)).json();
    expect(faults(`/paths/~1healthz/get/responses/200/${BODY}`, health)).toEqual([]);
  });
});
