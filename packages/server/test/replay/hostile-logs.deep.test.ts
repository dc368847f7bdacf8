import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { remove, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { runReplayCommand } from "../../src/replay/replay-command.ts";
import { combinedLog, generatedDay } from "./generated-day.ts";

const BIN = fileURLToPath(new URL("../../bin/tollgate.js", import.meta.url));
const LOG = combinedLog(generatedDay(1, 100));
const LINES = LOG.split("\n").length - 1;
const lineAt = (stamp: string, client = "192.0.2.1") => `${client} - - [${stamp}] "GET / HTTP/1.1" 200 5\n`;

let folder: string;
const at = (name: string) => join(folder, name);
beforeAll(() => {
  folder = temporaryFolder();
  writeFileSync(at("day.log"), LOG);
});
afterAll(() => remove(folder));

async function run(...args: readonly string[]) {
  const out: string[] = [];
  const errors: string[] = [];
  const printError = (line: string) => void errors.push(line);
  const code = await runReplayCommand(args, { print: (line) => void out.push(line), printError });
  return { code, error: errors.at(-1) ?? "", out };
}

interface Counts {
  readonly requests: number;
  readonly clients: number;
  readonly unreadable: number;
  readonly late: number;
  readonly to: string;
}

async function counts(text: string | Buffer, ...args: readonly string[]): Promise<Counts> {
  writeFileSync(at("odd.log"), text);
  const { out } = await run(at("odd.log"), "--suggest", "100", "--json", ...args);
  return JSON.parse(out[0] ?? "") as Counts;
}

/** The built command in a shell. */
function shell(script: string) {
  return spawnSync("bash", ["-c", script, process.execPath, BIN, folder], { encoding: "utf8" });
}

describe("a hostile log", () => {
  it("of bytes that are no text is refused in a line", async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7_919) % 251));
    writeFileSync(at("bytes.log"), bytes);
    const { code, error } = await run(at("bytes.log"));
    expect(code).toBe(1);
    expect(error).toMatch(/^tollgate: .*bytes\.log: expected lines of an access log .*, got "/);
    expect(error).not.toMatch(/\p{Cc}/u);
  });

  it("that is a gzip bomb takes little memory", () => {
    const zeros = gzipSync(Buffer.alloc(20_000_000));
    writeFileSync(at("bomb.gz"), Buffer.concat([gzipSync(LOG), ...Array(25).fill(zeros), gzipSync(`\n${LOG}`)]));
    const tell = "data:text/javascript,process.on('exit',()=>console.log(process.resourceUsage().maxRSS))";
    const { status, stdout } = shell(`"$0" --import "${tell}" "$1" replay "$2/bomb.gz" --suggest 90 --json`);
    const [result = "", mostKilobytes = ""] = stdout.split("\n");
    expect([status, JSON.parse(result)]).toEqual([0, expect.objectContaining({ requests: 2 * LINES, unreadable: 1 })]);
    expect(Number(mostKilobytes)).toBeLessThan(400_000);
  });

  it("has no say in costs, and a limits file no negative ones", async () => {
    const rule = "{ by: ip, rate: 10/1m, cost: -5 }";
    writeFileSync(at("limits.yaml"), `version: 1\ndomains: { web: { limits: { all: ${rule} } } }`);
    const { code, error } = await run(at("day.log"), "--limits", at("limits.yaml"));
    expect([code, error]).toEqual([1, expect.stringMatching(/cost: expected .*-5/)]);
  });

  it("has its endless, binary and empty lines counted", async () => {
    const log = `${lineAt("01/Nov/2026:00:00:00 +0000")}${"x".repeat(3_000_000)}\n\n\r\n\u0000\u0001\n${LOG}`;
    const blank = "\n".repeat(100_000);
    expect(await counts(blank + log)).toMatchObject({ requests: LINES + 1, unreadable: 2 });
  });

  it("has stamps of the years 0 and 9999, which do not shift the others", async () => {
    const odd = [lineAt("01/Jan/0000:00:00:00 +0000"), lineAt("31/Dec/9999:23:59:59 +0000")].join("");
    const half = LOG.indexOf("\n", LOG.length / 2) + 1;
    const found = await counts(LOG.slice(0, half) + odd + LOG.slice(half));
    expect(found).toMatchObject({ requests: LINES + 1, unreadable: 1, late: 1, to: "2026-11-01T23:59:58.000Z" });
    const only = await counts(lineAt("31/Dec/9999:23:59:59 +0000"));
    expect(only).toMatchObject({ requests: 1, to: "9999-12-31T23:59:59.000Z" });
  });

  it("has one client however its IPv6 address is spelled, as limits count it", async () => {
    const spellings = [
      "2001:db8::1",
      "2001:0DB8:0:0:0:0:0:1",
      "2001:db8::ffff",
      "::ffff:192.0.2.7",
      "192.0.2.7",
      "a:b",
    ];
    const log = spellings.map((client) => lineAt("01/Nov/2026:00:00:00 +0000", client)).join("");
    expect(await counts(log)).toMatchObject({ requests: 6, clients: 3 });
  });

  it("may call its clients and their fields by names of JavaScript's own", async () => {
    const names = ["__proto__", "constructor", "toString", "", "hasOwnProperty"];
    const log = names.map((name) => `${JSON.stringify({ ts: 1_800_000_000, ip: "192.0.2.1", who: { name } })}\n`);
    expect(await counts(log.join(""), "--key", "who.name")).toMatchObject({ requests: 4, clients: 4, unreadable: 1 });
    const spelled = ["\\u00e9\\u20ac", "é€", "\\u00e9\\u20ac"].map(
      (name) => `{"ts":1800000000,"who":{"name":"${name}"}}\n`,
    );
    expect(await counts(spelled.join(""), "--key", "who.name")).toMatchObject({ requests: 3, clients: 1 });
    const euro = "#Fields: date time c-ip cs(User-Agent)\n2026-11-01\t00:00:00\t192.0.2.1\t%E2%82%AC\n".repeat(3);
    expect(await counts(euro, "--key", "user-agent")).toMatchObject({ requests: 3, clients: 1 });
    const polluting = '{"ts":1800000000,"ip":"192.0.2.1","__proto__":{"path":"/x"},"request":{"__proto__":null}}\n';
    expect(await counts(polluting)).toMatchObject({ requests: 1 });
    expect(({} as { path?: string }).path).toBeUndefined();
  });

  it("that grows while it is read ends where it began to be read", async () => {
    writeFileSync(at("grows.log"), LOG);
    const append = 'while sleep 0.01; do tail -c 100000 "$0" >> "$1"; echo; done';
    const growing = spawn("bash", ["-c", append, at("day.log"), at("grows.log")]);
    await once(growing.stdout, "data");
    const { out } = await run(at("grows.log"), "--suggest", "90", "--json");
    growing.kill();
    expect((JSON.parse(out[0] ?? "") as Counts).requests).toBeLessThan(LINES * 1_000);
    expect(readFileSync(at("grows.log")).length).toBeGreaterThan(LOG.length);
  });

  it("that is a folder is refused in a line, and so is a report that cannot be written", async () => {
    mkdirSync(at("folder"));
    expect(await run(at("folder"))).toMatchObject({
      code: 1,
      error: "tollgate: expected a file that can be read, got EISDIR",
    });
    const { code, error } = await run(at("day.log"), "--html", at("absent/report.html"));
    expect([code, error]).toEqual([
      1,
      `tollgate: ${at("absent/report.html")}: expected a file that can be written, got ENOENT`,
    ]);
    await expect(run(at("day.log"), "--html", at("day.log"))).rejects.toThrow("--html: expected a file of its own");
    expect(readFileSync(at("day.log"), "utf8")).toBe(LOG);
  });
});

describe("pipes of tollgate replay", () => {
  it("are read to their end, also those that a shell names", () => {
    const { status, stdout } = shell(
      '"$0" "$1" replay <(cat "$2/day.log") --suggest 90 --json && "$0" "$1" replay - --suggest 90 --json < "$2/day.log"',
    );
    const [named, standard] = stdout.trim().split("\n");
    expect(named).toBe(standard);
    expect(JSON.parse(named ?? "")).toMatchObject({ requests: LINES });
    expect(status).toBe(0);
  });

  it("end the command quietly if what reads its output goes", () => {
    const { stdout, stderr } = shell(
      'set -o pipefail; "$0" "$1" replay "$2/day.log" --suggest 90 2>/dev/null | head -c 5; echo " $?"',
    );
    expect([stdout.slice(5), stderr]).toEqual([" 0\n", ""]);
  });

  it("may be closed early: what came until then counts", async () => {
    const child = spawn(process.execPath, [BIN, "replay", "-", "--suggest", "90", "--json"]);
    let output = "";
    child.stdout.on("data", (text: Buffer) => {
      output += text.toString();
    });
    const cut = LOG.length - 20;
    child.stdin.end(LOG.slice(0, cut));
    expect((await once(child, "close"))[0]).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ requests: LINES - 1, unreadable: 1 });
    const nothing = spawnSync(process.execPath, [BIN, "replay", "-"], { input: "", encoding: "utf8" });
    expect([nothing.status, nothing.stderr]).toEqual([1, "tollgate: expected an access log, got no request\n"]);
  });
});
