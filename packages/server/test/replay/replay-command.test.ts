import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createLimiter, tokenBucket } from "tollgate";
import { createLimits, parseLimits } from "tollgate/config";
import { manualClock } from "tollgate/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { remove, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { runReplayCommand } from "../../src/replay/replay-command.ts";

const START_MS = Date.UTC(2026, 10, 1);
const MONTHS = ["Oct", "Nov"];

interface Request {
  /** Seconds after the start. */
  readonly at: number;
  readonly client: string;
  readonly path?: string;
}

function lineOf({ at, client, path = "/" }: Request): string {
  const date = new Date(START_MS + at * 1_000);
  const [day, time] = [date.toISOString().slice(8, 10), date.toISOString().slice(11, 19)];
  const stamp = `${day}/${MONTHS[date.getUTCMonth() - 9]}/2026:${time} +0000`;
  return `${client} - - [${stamp}] "GET ${path} HTTP/1.1" 200 5 "-" "agent"\n`;
}

function textOf(requests: readonly Request[]): string {
  return [...requests]
    .sort((one, other) => one.at - other.at)
    .map(lineOf)
    .join("");
}

/** 1,998 people load a page of four files, an office calls all day, and a crawler never rests. */
const DAY: readonly Request[] = [
  ...Array.from({ length: 1_998 }, (_, person) =>
    Array.from({ length: 4 }, () => ({ at: person * 40, client: `10.1.${person >> 8}.${person & 255}` })),
  ).flat(),
  ...Array.from({ length: 500 }, (_, call) => ({ at: call * 160, client: "192.0.2.1" })),
  ...Array.from({ length: 2_000 }, (_, call) => ({ at: Math.floor(call / 5) * 200, client: "192.0.2.66" })),
];

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, "logs"));
  const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
  const day = textOf(DAY);
  write("day.log", day);
  write("day.log.gz", gzipSync(day));
  write("cut.log.gz", gzipSync(day).subarray(0, 5_000));
  const half = day.indexOf("\n", day.length / 2) + 1;
  write("early.log.1.gz", gzipSync(day.slice(0, half)));
  write("late.log", day.slice(half));
  write("letter.txt", "Dear Ann,\nhow are you?\n");
  write("empty.log", "");
  const burst = Array.from({ length: 12 }, () => ({ at: 0, client: "192.0.2.1", path: "/\u001b[31m" }));
  const others = Array.from({ length: 10 }, (_, at) => ({ at, client: "192.0.2.2", path: "/login" }));
  write("small.log", `${textOf([...burst, ...others])}what is this?\n`);
  write(
    "limits.yaml",
    "version: 1\ndomains:\n  api:\n    limits:\n      client: { by: ip, rate: 1/1m, burst: 10 }\n" +
      "      login: { match: { path: /login }, by: ip, within: 3/1m, inflight: { max: 1, ttl: 1s }, " +
      "keys: { 192.0.2.2: { within: 3/1m, inflight: { max: 1, ttl: 1s } } } }\n",
  );
});
afterAll(() => remove(folder));

async function run(...args: readonly string[]) {
  const out: string[] = [];
  const errors: string[] = [];
  const placed = args.map((arg) => (/^[\w.-]+\.(log|txt|yaml|gz|1)/.test(arg) ? join(folder, arg) : arg));
  const exitCode = await runReplayCommand(placed, {
    print: (line) => void out.push(line),
    printError: (line) => void errors.push(line.replaceAll(`${folder}/`, "")),
  });
  return { exitCode, out, errors };
}

interface Suggested {
  readonly name: string;
  readonly capacity: number;
  readonly refill: number;
  readonly per: "1s";
  readonly clients: number;
  readonly checked?: number;
  readonly code: string;
  readonly yaml: string;
}

async function json(...args: readonly string[]) {
  const { out } = await run(...args, "--json");
  expect(out).toHaveLength(1);
  return JSON.parse(out[0] ?? "") as { requests: number; clients: number; suggestions: readonly Suggested[] };
}

/** How many clients a bucket would deny something, by the real limiter. */
function deniedClients({ capacity, refill, per }: Suggested): number {
  const clock = manualClock(START_MS);
  const limiter = createLimiter({ limits: [tokenBucket({ capacity, refill, per })], clock });
  const denied = new Set<string>();
  for (const { at, client } of [...DAY].sort((one, other) => one.at - other.at)) {
    clock.set(START_MS + at * 1_000);
    if (!limiter.allow(client)) denied.add(client);
  }
  return denied.size;
}

describe("tollgate replay --suggest", () => {
  it("suggests buckets that deny the crawler and the share that may be denied", async () => {
    const { requests, clients, suggestions } = await json("day.log", "--suggest", "99.9");
    expect([requests, clients]).toEqual([DAY.length, 2_000]);
    expect(suggestions.map(({ name }) => name)).toEqual(["tight", "balanced", "loose"]);
    for (const suggestion of suggestions) {
      expect(suggestion.clients * 2_000).toBeLessThanOrEqual(2);
      expect(suggestion.clients * 2_000).toBe(deniedClients(suggestion));
      expect(suggestion.checked).toBeLessThan(0.01);
    }
    const [tight, , loose] = suggestions;
    // People load four files at once, and the office calls 22.5 times an hour. The crawler sends five at once.
    expect(loose).toMatchObject({ capacity: 4, refill: 30, per: "1h" });
    expect(tight?.capacity).toBeGreaterThanOrEqual(4);
  });

  it("suggests the same for a compressed file, and for parts of it in any order", async () => {
    const whole = await json("day.log");
    expect(await json("day.log.gz")).toEqual(whole);
    expect(await json("late.log", "early.log.1.gz")).toEqual(whole);
  });

  it("writes code and a rule that are valid, in shadow mode", async () => {
    const { suggestions } = await json("day.log");
    for (const { capacity, refill, per, code, yaml: rule } of suggestions) {
      expect(code).toBe(`tokenBucket({ capacity: ${capacity}, refill: ${refill}, per: "${per}", mode: "shadow" })`);
      expect(tokenBucket({ capacity, refill, per, mode: "shadow" }).capacity).toBe(capacity);
      const file = parseLimits(`version: 1\ndomains: { api: { limits: { client: ${rule} } } }`, { yaml });
      const [explained] = createLimits(file).explain("api", { ip: "192.0.2.1" });
      expect(explained).toMatchObject({ matches: true, mode: "shadow" });
      expect(JSON.stringify(explained)).toContain(`"capacity":${capacity}`);
    }
  });

  it("refuses a share that is finer than the clients of the log", async () => {
    const { exitCode, errors } = await run("small.log", "--suggest", "99.9");
    expect(exitCode).toBe(1);
    expect(errors.at(-1)).toBe("tollgate: --suggest 99.9: expected a log with at least 1000 clients, got 2");
  });

  it("denies no client anything if none may be denied", async () => {
    const { suggestions } = await json("small.log", "--suggest", "100");
    for (const { clients } of suggestions) expect(clients).toBe(0);
  });
});

describe("tollgate replay --limits", () => {
  it("names the clients that would have been denied, and the rules", async () => {
    const { exitCode, out, errors } = await run("small.log", "--limits", "limits.yaml");
    expect(exitCode).toBe(0);
    expect(out).toEqual([
      "22 requests of 2 clients, 2026-11-01T00:00:00.000Z to 2026-11-01T00:00:09.000Z",
      "1 line could not be read",
      "",
      "denied: 9 requests (40.909 %) of 2 clients (100 %)",
      "  api/login: 7",
      "  api/client: 2",
      "clients with most denials:",
      "  192.0.2.2: 7 of 10",
      "  192.0.2.1: 2 of 12",
    ]);
    expect(errors).toEqual([
      "inflight of api/login is left out: a log does not tell what runs at once",
      "small.log: common or combined",
      ...Array.from({ length: 3 }, () => "  2026-11-01T00:00:00.000Z 192.0.2.1 GET /?[31m"),
    ]);
  });

  it("tells requests and denials by time, in at most 120 steps", async () => {
    const small = await run("small.log", "--limits", "limits.yaml", "--json");
    expect(JSON.parse(small.out[0] ?? "")).toMatchObject({
      denied: { requests: 9, clients: 2 },
      timeline: { stepSeconds: 1, requests: [13, 1, 1, 1, 1, 1, 1, 1, 1, 1], denied: [2, 0, 0, 1, 1, 1, 1, 1, 1, 1] },
    });
    const day = await run("day.log", "--limits", "limits.yaml", "--json");
    const { timeline, denied } = JSON.parse(day.out[0] ?? "") as {
      timeline: { stepSeconds: number; requests: number[]; denied: number[] };
      denied: { requests: number };
    };
    const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count);
    expect([timeline.stepSeconds, timeline.requests.length]).toEqual([1_024, Math.ceil(79_921 / 1_024)]);
    expect([sumOf(timeline.requests), sumOf(timeline.denied)]).toEqual([DAY.length, denied.requests]);
    expect(denied.requests).toBeGreaterThan(0);
  });

  it.each([
    ["clients>2", 0],
    ["clients > 1", 1],
    ["clients>99.9%", 1],
    ["clients>100%", 0],
    ["requests>9", 0],
    ["requests>40%", 1],
  ])("exits by --fail-if %s with %i", async (condition, expected) => {
    const { exitCode, errors } = await run("small.log", "--limits", "limits.yaml", "--fail-if", condition);
    expect(exitCode).toBe(expected);
    expect(errors.includes(`tollgate: --fail-if ${condition} holds`)).toBe(expected === 1);
  });

  it("tells clients apart as --key says", async () => {
    const { out } = await run("small.log", "--limits", "limits.yaml", "--key", "path");
    expect(out).toContain("  /login: 7 of 10");
  });
});

describe("tollgate replay", () => {
  it.each<[string[], string]>([
    [["absent.log"], "tollgate: absent.log: expected a file that can be read, got ENOENT"],
    [["empty.log"], "tollgate: empty.log: expected an access log, got an empty file"],
    [["cut.log.gz"], "tollgate: expected a whole gzip file: unexpected end of file"],
    [
      ["letter.txt"],
      "tollgate: letter.txt: expected lines of an access log (common, combined, JSON, ALB, CloudFront, Envoy), " +
        'got "Dear Ann,"',
    ],
    [["small.log", "--limits", "absent.yaml"], "absent.yaml: expected a file that can be read, got ENOENT"],
  ])("says what is wrong with %j, and exits with 1", async (args, line) => {
    const { exitCode, errors } = await run(...args);
    expect([exitCode, errors.at(-1)]).toEqual([1, line]);
  });

  it.each<[string[], string]>([
    [[], "replay: expected an access log, got none"],
    [["small.log", "--suggest", "110"], '--suggest: expected a percentage of clients such as 99.9, got "110"'],
    [["small.log", "--fail-if", "clients>1%"], "--fail-if: expected with --limits"],
    [
      ["small.log", "--limits", "limits.yaml", "--fail-if", "all"],
      "--fail-if: expected such as 'clients>0.1%' or 'requests>100', got \"all\"",
    ],
    [["small.log", "--domain", "api"], "--domain: expected with --limits"],
    [["small.log", "--limits", "limits.yaml", "--domain", "edge"], '--domain: expected one of api, got "edge"'],
    [["small.log", "--max-clients", "0"], '--max-clients: expected a number from 1 to 10000000, got "0"'],
    [["small.log", "--key", "cookie"], "--key: expected address, user, user-agent, path, or a field of JSON lines"],
    [["small.log", "--sugest"], 'html, --fail-if, --max-clients, got "--sugest"'],
    [["small.log", "--limits"], "--limits: expected a value, got none"],
    [["small.log", "--json=yes"], '--json: expected no value, got "yes"'],
  ])("refuses %j", async (args, message) => {
    await expect(run(...args)).rejects.toThrow(message);
  });
});
