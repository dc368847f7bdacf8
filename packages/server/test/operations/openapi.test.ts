import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { description, faults, NO_FAULTS, pointerOf } from "./admin-description.ts";
import { LIMITS, type Operated, START_MS, startOperated } from "./operate.ts";

const CLIENT = { domain: "api", rule: "client", key: "192.0.2.1" };
const FOR = { domain: "api", for: "1m" };
const ANY_VERSION = { "if-match": "*" };
const YAML = { "content-type": "application/yaml", ...ANY_VERSION };

interface Sample {
  readonly path: string;
  readonly method: string;
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly target?: string;
}

/** Calls one after another, with the status of their answers. */
const SAMPLES: readonly Sample[] = [
  { path: "/rlconfig", method: "get", status: 200 },
  { path: "/rlconfig", method: "get", status: 401, headers: { authorization: "Bearer x" } },
  { path: "/v1/limits", method: "get", status: 200 },
  { path: "/v1/keys/hot", method: "get", status: 200, target: "/v1/keys/hot?domain=api" },
  { path: "/v1/keys/hot", method: "get", status: 404, target: "/v1/keys/hot?domain=web" },
  { path: "/v1/keys/hot", method: "get", status: 400 },
  { path: "/v1/keys/blocked", method: "get", status: 200, target: "/v1/keys/blocked?domain=api" },
  { path: "/v1/keys/blocked", method: "get", status: 404, target: "/v1/keys/blocked?domain=web" },
  { path: "/v1/keys/blocked", method: "get", status: 400 },
  { path: "/v1/limits", method: "put", status: 428, body: LIMITS, headers: { "content-type": "application/yaml" } },
  { path: "/v1/limits", method: "put", status: 412, body: LIMITS, headers: { ...YAML, "if-match": '"x"' } },
  { path: "/v1/limits", method: "put", status: 400, body: LIMITS, headers: YAML, target: "/v1/limits?dry=1" },
  { path: "/v1/limits", method: "put", status: 415, body: LIMITS, headers: { ...YAML, "content-type": "text/plain" } },
  { path: "/v1/limits", method: "put", status: 413, body: "#".repeat(5_000_001), headers: YAML },
  { path: "/v1/limits", method: "put", status: 422, body: { version: 1 }, headers: ANY_VERSION },
  { path: "/v1/limits", method: "put", status: 200, body: LIMITS, headers: YAML, target: "/v1/limits?dryRun=true" },
  { path: "/v1/limits", method: "put", status: 200, body: parse(LIMITS), headers: ANY_VERSION },
  { path: "/v1/limits", method: "delete", status: 428 },
  { path: "/v1/limits", method: "delete", status: 412, headers: { "if-match": '"x"' } },
  { path: "/v1/limits", method: "delete", status: 200, headers: ANY_VERSION },
  { path: "/v1/keys/explain", method: "get", status: 200, target: "/v1/keys/explain?domain=api&rule=client&key=a" },
  { path: "/v1/keys/explain", method: "get", status: 400 },
  { path: "/v1/keys/explain", method: "post", status: 200, body: CLIENT },
  { path: "/v1/keys/explain", method: "post", status: 404, body: { ...CLIENT, rule: "x" } },
  { path: "/v1/keys/block", method: "post", status: 200, body: { ...CLIENT, for: "1m", reason: "abuse" } },
  { path: "/v1/keys/block", method: "post", status: 200, body: { ...CLIENT, until: START_MS + 600_000 } },
  { path: "/v1/keys/block", method: "post", status: 400, body: { ...CLIENT, for: "soon" } },
  { path: "/v1/keys/explain", method: "post", status: 200, body: CLIENT },
  { path: "/v1/keys/unblock", method: "post", status: 200, body: CLIENT },
  { path: "/v1/keys/reset", method: "post", status: 200, body: { ...CLIENT, key: ["192.0.2.1"] } },
  { path: "/v1/rules/{rule}/off", method: "post", status: 200, body: FOR },
  { path: "/rlconfig", method: "get", status: 200 },
  { path: "/v1/rules/{rule}/shadow", method: "post", status: 200, body: { ...FOR, for: 60_000 } },
  { path: "/v1/rules/{rule}/on", method: "post", status: 200, body: FOR },
  { path: "/v1/rules/{rule}/on", method: "post", status: 404, body: { ...FOR, domain: "x" } },
  { path: "/v1/rules/{rule}/restore", method: "post", status: 200, body: { domain: "api" } },
];

/** Bodies that no operation takes. */
const MALFORMED: readonly (readonly [string, unknown])[] = [
  ["/v1/keys/explain", { rule: "client", key: "a" }],
  ["/v1/keys/explain", { ...CLIENT, key: 1 }],
  ["/v1/keys/reset", { ...CLIENT, keys: [] }],
  ["/v1/keys/unblock", []],
  ["/v1/keys/block", CLIENT],
  ["/v1/keys/block", { ...CLIENT, for: "1m", until: 1 }],
  ["/v1/keys/block", { ...CLIENT, for: "1m", reason: "" }],
  ["/v1/rules/{rule}/off", { domain: "api" }],
  ["/v1/rules/{rule}/off", { ...FOR, for: 1 }],
  ["/v1/rules/{rule}/on", { ...FOR, for: true }],
  ["/v1/rules/{rule}/restore", FOR],
];

function send({ operate }: Operated, { path, method, body, headers, target }: Sample) {
  return operate(method.toUpperCase(), target ?? path.replace("{rule}", "client"), body, headers);
}

describe("docs/openapi-admin.yaml", () => {
  it("describes the answers to operators", async () => {
    const operated = await startOperated();
    for (const sample of SAMPLES) {
      operated.clock.advance(100);
      const { status, body } = await send(operated, sample);
      const { path, method } = sample;
      expect({ path, method, status, body }).toEqual({ path, method, status: sample.status, body });
      expect(faults(`${pointerOf(path, method)}/responses/${status}`, body)).toEqual([]);
      const isDescribed = typeof sample.body === "object" && status === 200;
      if (isDescribed) expect(faults(`${pointerOf(path, method)}/requestBody`, sample.body)).toEqual([]);
    }
  });

  it("refuses what the listener refuses", async () => {
    const operated = await startOperated();
    for (const [path, body] of MALFORMED) {
      const { status } = await send(operated, { path, method: "post", status: 400, body });
      const isDescribed = faults(`${pointerOf(path, "post")}/requestBody`, body) === NO_FAULTS;
      expect({ path, body, status, isDescribed }).toEqual({ path, body, status: 400, isDescribed: false });
    }
  });

  it("lists each route and method, and what each may answer", async () => {
    const operated = await startOperated();
    const seen = new Set(SAMPLES.map(({ path, method }) => `${method} ${path}`));
    for (const [path, methods] of Object.entries(description.paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        expect([...seen]).toContain(`${method} ${path}`);
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(["200", "401"]));
      }
      const { status, headers } = await operated.operate("PATCH", path.replace("{rule}", "client"));
      const listed = Object.keys(methods).map((method) => method.toUpperCase());
      const allowed = (headers.get("allow") ?? "").split(", ").filter((method) => method !== "HEAD");
      expect({ path, status, allowed }).toEqual({ path, status: 405, allowed: listed });
    }
  });
});
