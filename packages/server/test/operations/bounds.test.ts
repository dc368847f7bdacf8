import { gzipSync } from "node:zlib";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { statuses } from "../support/call.ts";
import { openConnection } from "../support/connection.ts";
import { limitsFile } from "../support/limits-file.ts";
import { startWithAdmin } from "../support/test-admin.ts";
import { LIMITS, READER, startOperated, WRITER } from "./operate.ts";

const JSON_TYPE = { "content-type": "application/json" };
const YAML = { "content-type": "application/yaml" };
const CLIENT = { domain: "api", rule: "client", key: "192.0.2.1" };

/** Each route of operators, by a call that changes something or tells what is secret. */
const CALLS: readonly (readonly [string, string, string | undefined])[] = [
  ["GET", "/v1/limits", undefined],
  ["PUT", "/v1/limits", LIMITS],
  ["PUT", "/v1/limits?dryRun=true", LIMITS],
  ["DELETE", "/v1/limits", undefined],
  ["GET", `/v1/keys/explain?${new URLSearchParams(CLIENT).toString()}`, undefined],
  ["POST", "/v1/keys/explain", JSON.stringify(CLIENT)],
  ["POST", "/v1/keys/reset", JSON.stringify(CLIENT)],
  ["POST", "/v1/keys/block", JSON.stringify({ ...CLIENT, for: "1m" })],
  ["POST", "/v1/keys/unblock", JSON.stringify(CLIENT)],
  ["POST", "/v1/rules/client/off", '{"domain":"api","for":"1m"}'],
  ["POST", "/v1/rules/client/shadow", '{"domain":"api","for":"1m"}'],
  ["POST", "/v1/rules/client/on", '{"domain":"api","for":"1m"}'],
  ["POST", "/v1/rules/client/restore", '{"domain":"api"}'],
];

const STRANGERS = [
  undefined,
  "Bearer",
  "Bearer writer-012345678",
  "Bearer writer-01234567890",
  "Basic writer-0123456789",
  `Bearer ${WRITER} ${WRITER}`,
  `Bearer ${WRITER},`,
  `Bearer ${"\u00ff".repeat(16)}`,
];

const READS = new Set(["GET /v1/limits", `${CALLS[4]?.[0]} ${CALLS[4]?.[1]}`, "POST /v1/keys/explain"]);

describe.each(CALLS)("%s %s", (method, path, body) => {
  const type = body?.startsWith("{") === true ? JSON_TYPE : YAML;

  it("does nothing without a known token", async () => {
    const { adminUrl, audited } = await startOperated();
    for (const authorization of STRANGERS) {
      const headers = { ...type, "if-match": "*", ...(authorization !== undefined && { authorization }) };
      const response = await fetch(adminUrl + path, { method, headers, ...(body !== undefined && { body }) });
      const answer = await response.text();
      expect([authorization, response.status, answer]).toEqual([authorization, 401, '{"error":"unauthorized"}']);
    }
    expect(audited()).toEqual([]);
  });

  it("changes nothing for a token that may only read", async () => {
    const { operate, audited } = await startOperated();
    const headers = { ...type, "if-match": "*", authorization: `Bearer ${READER}` };
    const { status } = await operate(method, path, body, headers);
    expect(status).toBe(READS.has(`${method} ${path}`) ? 200 : 403);
    expect(audited()).toEqual([]);
  });

  it("is closed on a listener without tokens", async () => {
    const { application } = await limitsFile(LIMITS);
    const { adminUrl } = await startWithAdmin({ application });
    const options = { method, headers: { ...type, "if-match": "*" }, ...(body !== undefined && { body }) };
    const response = await fetch(adminUrl + path, options);
    expect([response.status, await response.text()]).toEqual([403, '{"error":"expected --admin-token-file"}']);
    expect(await statuses(1, `${adminUrl}/rlconfig`)).toEqual([200]);
  });

  it("answers no other host, and no script of another origin", async () => {
    const { adminUrl, audited } = await startOperated();
    const connection = await openConnection(adminUrl);
    const head = `${method} ${path} HTTP/1.1\r\nHost: attacker.example\r\nAuthorization: Bearer ${WRITER}\r\n`;
    connection.send(`${head}Content-Length: 0\r\nConnection: close\r\n\r\n`);
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 403 /);
    const preflight = await fetch(adminUrl + path, {
      method: "OPTIONS",
      headers: { origin: "http://attacker.example" },
    });
    expect(preflight.status).toBe(405);
    expect([...preflight.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(audited()).toEqual([]);
  });
});

describe("a strange request to the admin listener", () => {
  const AUTHORIZED = `Authorization: Bearer ${WRITER}\r\n`;
  const LOCAL = "Host: localhost\r\n";
  const OFF = '{"domain":"api","for":"1m"}';
  const POST_OFF = "POST /v1/rules/client/off HTTP/1.1\r\nContent-Type: application/json\r\n";

  it.each([
    ["two hosts", `${POST_OFF}${LOCAL}Host: attacker.example\r\n${AUTHORIZED}Content-Length: 27\r\n\r\n${OFF}`, 403],
    ["two lengths", `${POST_OFF}${LOCAL}${AUTHORIZED}Content-Length: 27\r\nContent-Length: 5\r\n\r\n${OFF}`, 400],
    [
      "a length and chunks",
      `${POST_OFF}${LOCAL}${AUTHORIZED}Content-Length: 27\r\nTransfer-Encoding: chunked\r\n\r\n${OFF}`,
      400,
    ],
    [
      "a token behind a wrong one",
      `${POST_OFF}${LOCAL}Authorization: Bearer x\r\n${AUTHORIZED}Content-Length: 27\r\n\r\n${OFF}`,
      401,
    ],
    [
      "a token on a line of its own",
      `${POST_OFF}${LOCAL}Authorization: Bearer\r\n ${WRITER}\r\nContent-Length: 27\r\n\r\n${OFF}`,
      400,
    ],
    ["a token in the URL", `GET /v1/limits?access_token=${WRITER} HTTP/1.1\r\n${LOCAL}\r\n`, 401],
    ["a method in a header", `GET /v1/limits HTTP/1.1\r\n${LOCAL}${AUTHORIZED}X-HTTP-Method: DELETE\r\n\r\n`, 200],
    ["an escaped path", `GET /v1%2flimits HTTP/1.1\r\n${LOCAL}${AUTHORIZED}\r\n`, 404],
    ["dots in the path", `GET /metrics/../v1/limits HTTP/1.1\r\n${LOCAL}${AUTHORIZED}\r\n`, 404],
    ["an empty segment", `GET //v1/limits HTTP/1.1\r\n${LOCAL}${AUTHORIZED}\r\n`, 404],
    ["a broken escape in the query", `GET /v1/keys/explain?domain=%ff%zz HTTP/1.1\r\n${LOCAL}${AUTHORIZED}\r\n`, 400],
    ["a name of every object", `GET /v1/keys/explain?__proto__=1 HTTP/1.1\r\n${LOCAL}${AUTHORIZED}\r\n`, 400],
    ["HEAD", `HEAD /v1/limits HTTP/1.1\r\n${LOCAL}${AUTHORIZED}\r\n`, 200],
  ])("with %s is answered, and changes nothing", async (_what, text, status) => {
    const { adminUrl, audited } = await startOperated();
    const connection = await openConnection(adminUrl);
    connection.send(text);
    await connection.receives(/\r\n\r\n/);
    expect(connection.received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(audited()).toEqual([]);
  });
});

describe("the admin listener bounds", () => {
  it("the bodies of small calls", async () => {
    const { operate } = await startOperated();
    const longest = JSON.stringify({ ...CLIENT, key: "x".repeat(16 * 1024) });
    expect(await operate("POST", "/v1/keys/reset", longest)).toMatchObject({
      status: 413,
      body: { error: "expected at most 16384 bytes" },
    });
    const fitting = JSON.stringify({ ...CLIENT, key: "x".repeat(16_000) });
    expect((await operate("POST", "/v1/keys/reset", fitting)).status).toBe(200);
  });

  it("the body of limits, and answers before it is sent", async () => {
    const { adminUrl } = await startOperated();
    const connection = await openConnection(adminUrl);
    const head = `PUT /v1/limits HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${WRITER}\r\nIf-Match: *\r\n`;
    connection.send(`${head}Content-Type: application/yaml\r\nContent-Length: 5000001\r\n\r\n`);
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 413 /);
  });

  it("a body that does not say how long it is", async () => {
    const { adminUrl } = await startOperated();
    const connection = await openConnection(adminUrl);
    const head = `PUT /v1/limits HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${WRITER}\r\nIf-Match: *\r\n`;
    connection.send(`${head}Content-Type: application/yaml\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${"#".repeat(0x10000)}\r\n`;
    // A client that goes on is cut off.
    for (let i = 0; i < 80; i += 1) connection.send(chunk);
    await connection.closed;
    expect(connection.received === "" || connection.received.startsWith("HTTP/1.1 413 ")).toBe(true);
  });

  it("the calls of a token, and not those of others", async () => {
    const { operate, clock } = await startOperated();
    const seen: number[] = [];
    for (let i = 0; i < 51; i += 1) seen.push((await operate("POST", "/v1/keys/explain", CLIENT)).status);
    expect(seen).toEqual([...Array.from({ length: 50 }, () => 200), 429]);
    const beyond = await operate("POST", "/v1/rules/client/off", { domain: "api", for: "1m" });
    expect([beyond.status, beyond.headers.get("retry-after")]).toEqual([429, "1"]);
    const reader = { authorization: `Bearer ${READER}` };
    expect((await operate("POST", "/v1/keys/explain", CLIENT, reader)).status).toBe(200);
    // Monitoring goes on.
    expect((await fetch(`${(await startOperated()).adminUrl}/metrics`, { headers: reader })).status).toBe(200);
    clock.advance(100);
    expect((await operate("POST", "/v1/keys/explain", CLIENT)).status).toBe(200);
  });

  it("the calls of clients without a token, by route", async () => {
    const { application } = await limitsFile(LIMITS);
    const { adminUrl } = await startWithAdmin({ application, clock: manualClock() });
    const seen = await statuses(51, `${adminUrl}/rlconfig`);
    expect(seen).toEqual([...Array.from({ length: 50 }, () => 200), 429]);
    expect(await statuses(1, `${adminUrl}/metrics`)).toEqual([200]);
  });

  it("the overrides of rules", async () => {
    const rules = Array.from({ length: 101 }, (_, i) => `      r${i}: { match: { path: /${i} }, rate: 1/1m }\n`);
    const { operate, clock } = await startOperated(`version: 1\ndomains:\n  api:\n    limits:\n${rules.join("")}`);
    const off = async (i: number) => {
      clock.advance(100);
      return (await operate("POST", `/v1/rules/r${i}/off`, { domain: "api", for: "1d" })).status;
    };
    for (let i = 0; i < 100; i += 1) expect(await off(i)).toBe(200);
    expect(await off(100)).toBe(409);
    // One that is there may change.
    expect(await off(5)).toBe(200);
    await operate("POST", "/v1/rules/r5/restore", { domain: "api" });
    expect(await off(100)).toBe(200);
  });
});

describe("a body of the admin listener", () => {
  it.each<[string, Readonly<Record<string, string>>, number]>([
    ["a form", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["no type", { "content-type": "" }, 415],
    ["another charset", { "content-type": "application/json; charset=utf-16" }, 415],
    ["a charset that is stated twice", { "content-type": "application/json; charset=latin1; charset=utf-8" }, 415],
    ["UTF-8", { "content-type": 'Application/JSON; Charset="UTF-8"' }, 200],
    ["no coding", { ...JSON_TYPE, "content-encoding": "identity" }, 200],
    ["a coding", { ...JSON_TYPE, "content-encoding": "br" }, 415],
  ])("in %s is answered", async (_what, headers, status) => {
    const { operate } = await startOperated();
    expect((await operate("POST", "/v1/keys/explain", JSON.stringify(CLIENT), headers)).status).toBe(status);
  });

  it.each<[string, Buffer, Readonly<Record<string, string>>, number]>([
    ["gzip, even of a small text", gzipSync("x".repeat(10_000_000)), { "content-encoding": "gzip" }, 415],
    ["a broken character", Buffer.from([0x7b, 0xff, 0x7d]), {}, 400],
    ["a surrogate", Buffer.from([0xed, 0xa0, 0x80]), {}, 400],
    ["UTF-16", Buffer.from("\ufeff{}", "utf16le"), {}, 400],
    ["zero bytes", Buffer.alloc(1_000), {}, 422],
    ["deep lists", Buffer.from("[".repeat(100_000)), {}, 422],
    ["aliases of aliases", Buffer.from("a: &a [1]\nb: &b [*a,*a]\nc: [*b,*b,*b]\n"), {}, 422],
  ])("with %s changes no limits", async (_what, body, headers, status) => {
    const { adminUrl, audited } = await startOperated();
    const response = await fetch(`${adminUrl}/v1/limits`, {
      method: "PUT",
      headers: { authorization: `Bearer ${WRITER}`, "if-match": "*", ...YAML, ...headers },
      body: new Uint8Array(body),
    });
    expect(response.status).toBe(status);
    expect(audited()).toEqual([]);
  });
});

describe("requests without a known token", () => {
  it("are in the log, one line for a client and interval, and never their token", async () => {
    const { adminUrl, log } = await startOperated();
    for (let i = 0; i < 20; i += 1) {
      const headers = { authorization: `Bearer guess-of-a-token-${i}` };
      await fetch(`${adminUrl}/v1/limits`, { headers });
    }
    const lines = log.filter((line) => line.includes('"unauthorized"'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "warn",
      event: "unauthorized",
      client: "127.0.0.1",
      method: "GET",
      path: "/v1/limits",
    });
    expect(log.join("\n")).not.toContain("guess-of");
  });
});
