import { describe, expect, it } from "vitest";
import { parseCommandLine } from "../../src/command/command-line.ts";
import { HELP } from "../../src/command/help.ts";
import { UsageError } from "../../src/command/usage-error.ts";

const WHOLE = "a whole number from 1 to 9007199254740991";
const PORT = "a whole number from 0 to 65535";
const RATE = "a number above 0, such as 5 or 0.0167";
const FLAGS =
  "--port, --host, --capacity, --refill-per-second, --refill, --limits, --grpc-port, --redis, --redis-timeout, --max-keys, " +
  "--check-domain, " +
  "--trust-proxy, --sweep-interval, --max-connections, --headers-timeout, --workers, --tls-cert, --tls-key, --tls-client-ca, --admin-port, --admin-host, --admin-allow-host, " +
  "--admin-token-file, --log-format, --log-denials, --hybrid, --shadow, --help, --version";
const USAGE = "tollgate serve [flags]";

const DEMO = {
  kind: "demo",
  capacity: 10,
  refill: { units: 1, per: "1s", text: "1 per second" },
  sweepInterval: "1m",
};

const SENTINELS = [
  { host: "a", port: 26_379 },
  { host: "::1", port: 7 },
];

const DEFAULTS = {
  host: "127.0.0.1",
  port: 3000,
  application: DEMO,
  grpcPort: undefined,
  trustProxy: false,
  maxConnections: 10_000,
  headersMs: 5_000,
  workers: 1,
  logFormat: "text",
  logDenials: 10,
  requestIds: false,
  admin: undefined,
  tls: undefined,
};

describe("the command line", () => {
  it("gives serve its defaults", () => {
    expect(parseCommandLine(["serve"])).toEqual({ kind: "serve", settings: DEFAULTS });
  });

  it("takes flags before and after serve", () => {
    const args = ["--port", "0", "serve", "--host=::1", "--capacity", "200", "--refill-per-second", "30"];
    expect(parseCommandLine(args)).toEqual({
      kind: "serve",
      settings: {
        ...DEFAULTS,
        host: "::1",
        port: 0,
        application: { ...DEMO, capacity: 200, refill: { units: 30, per: "1s", text: "30 per second" } },
      },
    });
  });

  it.each([
    ["redis://a:1/2", { kind: "single", url: "redis://a:1/2" }],
    ["rediss://a,rediss://b:7", { kind: "cluster", urls: ["rediss://a", "rediss://b:7"] }],
    ["redis+sentinel://a,[::1]:7/main", { kind: "sentinel", name: "main", hosts: SENTINELS }],
  ])("takes limits in files, which count in Redis: %s", (address, redis) => {
    const args = ["serve", "--limits", "a", "--redis", address, "--hybrid", "--grpc-port", "5", "--check-domain", "d"];
    expect(parseCommandLine(args)).toMatchObject({
      settings: {
        grpcPort: 5,
        application: { kind: "limits", path: "a", redis, hybrid: true, shadow: false, checkDomain: "d" },
      },
    });
  });

  it.each([
    [[], "100ms"],
    [["--redis-timeout", "1ms"], "1ms"],
    [["--redis-timeout", "60m"], "60m"],
  ])("takes how long a request waits for Redis: %j", (flags, redisTimeout) => {
    const args = ["serve", "--limits", "a", "--redis", "redis://a", ...flags];
    expect(parseCommandLine(args)).toMatchObject({ settings: { application: { redisTimeout } } });
  });

  it("takes the last of two values of a flag", () => {
    expect(parseCommandLine(["serve", "--port", "1", "--port", "65535"])).toMatchObject({ settings: { port: 65_535 } });
  });

  it.each([
    ["0.0167", { units: 0.0167, per: "1s", text: "0.0167 per second" }],
    ["0.000001", { units: 0.000_001, per: "1s", text: "0.000001 per second" }],
  ])("takes decimals for --refill-per-second: %s", (text, refill) => {
    expect(parseCommandLine(["serve", "--refill-per-second", text])).toMatchObject({
      settings: { application: { refill } },
    });
  });

  it.each([
    ["1/60s", { units: 1, per: "60s", text: "1 per 60s" }],
    ["1.5/1s", { units: 1.5, per: "1s", text: "1.5 per 1s" }],
    ["7/1h30m", { units: 7, per: "1h30m", text: "7 per 1h30m" }],
  ])("takes a rate of any period for --refill: %s", (text, refill) => {
    expect(parseCommandLine(["serve", "--refill", text])).toMatchObject({ settings: { application: { refill } } });
  });

  it("gives requests ids with --log-format json, and logs as many denials as --log-denials says", () => {
    expect(parseCommandLine(["serve", "--log-format=json", "--log-denials=0"])).toMatchObject({
      settings: { logFormat: "json", requestIds: true, logDenials: 0 },
    });
  });

  it("takes how long the head of a request may take", () => {
    expect(parseCommandLine(["serve", "--headers-timeout", "1m"])).toMatchObject({ settings: { headersMs: 60_000 } });
  });

  it.each(["127.0.0.1", "127.9.9.9", "::1", "localhost"])("opens the admin listener on %s without a token", (host) => {
    const args = ["serve", "--admin-port", "6070", "--admin-host", host, "--admin-allow-host", "limits.example, b"];
    expect(parseCommandLine(args)).toMatchObject({
      settings: { admin: { host, port: 6070, hosts: ["limits.example", "b"], tokens: undefined } },
    });
  });

  it.each([
    ["0", 0],
    ["2", 2],
    ["10.0.0.0/8", ["10.0.0.0/8"]],
    ["10.0.0.0/8, loopback,2001:db8::/32", ["10.0.0.0/8", "loopback", "2001:db8::/32"]],
    ["private", ["private"]],
  ])("takes hops or addresses for --trust-proxy: %s", (text, trustProxy) => {
    expect(parseCommandLine(["serve", "--trust-proxy", text])).toMatchObject({ settings: { trustProxy } });
  });

  it.each(["", "true", "1.5", "10.0.0.0/33", "10.0.0.0/8,", "300.1.1.1", "10.0.0.0/8 private"])(
    "refuses %j for --trust-proxy",
    (text) => {
      expect(() => parseCommandLine(["serve", `--trust-proxy=${text}`])).toThrow(
        `--trust-proxy: expected a number of hops, or addresses and CIDR blocks, loopback or private, with commas between them, got ${JSON.stringify(text)}`,
      );
    },
  );

  it.each([[["--help"]], [["serve", "--help"]], [["serve", "--port", "1", "--help"]]])(
    "asks for help with %j",
    (args) => {
      expect(parseCommandLine(args)).toEqual({ kind: "help" });
    },
  );

  it("asks for the version with --version", () => {
    expect(parseCommandLine(["--version"])).toEqual({ kind: "version" });
  });

  it.each<[string[], string]>([
    [[], `expected a command, got none; usage: ${USAGE}`],
    [["--port", "3000"], `expected a command, got none; usage: ${USAGE}`],
    [["sevre"], 'expected the command serve, check, explain or replay, got "sevre"'],
    [["serve", "now"], 'expected only flags after serve, got "now"'],
    [["--bogus"], `expected one of ${FLAGS}, got "--bogus"`],
    [["serve", "-p", "3000"], `expected one of ${FLAGS}, got "-p"`],
    [["serve", "--help=yes"], '--help: expected no value, got "yes"'],
    [["serve", "--port"], `--port: expected ${PORT}, got none`],
    [["serve", "--port", "65536"], `--port: expected ${PORT}, got "65536"`],
    [["serve", "--port", "-1"], `--port: expected ${PORT}, got "-1"`],
    [["serve", "--port", "--host", "::1"], `--port: expected ${PORT}, got "--host"`],
    [["serve", "--port", "0x10"], `--port: expected ${PORT}, got "0x10"`],
    [["serve", "--host"], "--host: expected an address or a host name, got none"],
    [["serve", "--host", ""], '--host: expected an address or a host name, got ""'],
    [["serve", "--capacity", "0"], `--capacity: expected ${WHOLE}, got "0"`],
    [["serve", "--capacity", "9007199254740992"], `--capacity: expected ${WHOLE}, got "9007199254740992"`],
    ...["0", "0.0", " 1", "-1", "1e3", ".5", "1.", "9007199254740992", "0.0000001"].map((rate): [string[], string] => [
      ["serve", `--refill-per-second=${rate}`],
      `--refill-per-second: expected ${RATE}, got "${rate}"`,
    ]),
    ...["1", "0/1s", "1/", "1/0s", "1/s", "1.5e1/1s", "1/60", "/1s", "1/11y", "9007199254740992/1s"].map(
      (rate): [string[], string] => [
        ["serve", `--refill=${rate}`],
        `--refill: expected a count and a time, such as 1/60s, got "${rate}"`,
      ],
    ),
    [
      ["serve", "--refill", "1/60s", "--refill-per-second", "1"],
      "--refill: expected without --refill-per-second, got both",
    ],
    ...["0s", "25d", "5", "often"].map((time): [string[], string] => [
      ["serve", `--sweep-interval=${time}`],
      `--sweep-interval: expected a time from 1ms to 24d, such as 30s or 5m, got "${time}"`,
    ]),
    ...["0s", "61m", "5", "soon", "1s "].map((time): [string[], string] => [
      ["serve", "--limits=a", "--redis=redis://a", `--redis-timeout=${time}`],
      `--redis-timeout: expected a time from 1ms to 1h, such as 50ms, got "${time}"`,
    ]),
    [["serve", "--headers-timeout=2h"], '--headers-timeout: expected a time from 1ms to 1h, such as 5s, got "2h"'],
    [["serve", "--limits=a", "--redis-timeout=1s"], "--redis-timeout: expected with --redis"],
    [["serve", "--max-connections", "0"], '--max-connections: expected a whole number from 1 to 1000000, got "0"'],
    [["serve", "--log-format", "xml"], '--log-format: expected text or json, got "xml"'],
    [["serve", "--log-denials", "1001"], '--log-denials: expected a whole number from 0 to 1000, got "1001"'],
    [["serve", "--admin-port", "70000"], `--admin-port: expected ${PORT}, got "70000"`],
    [["serve", "--admin-host", "::1"], "--admin-host: expected with --admin-port, which opens the admin listener"],
    ...["0.0.0.0", "192.0.2.1", "::", "admin.example"].map((host): [string[], string] => [
      ["serve", "--admin-port", "0", "--admin-host", host],
      `--admin-host: expected a loopback address, or --admin-token-file for others, got "${host}"`,
    ]),
    ...["grpc-port=1", "redis=redis://a", "max-keys=1", "check-domain=a", "shadow", "hybrid"].map(
      (flag): [string[], string] => [["serve", `--${flag}`], `--${flag.split("=")[0]}: expected with --limits`],
    ),
    ...["capacity=1", "refill=1/1s", "refill-per-second=1"].map((flag): [string[], string] => [
      ["serve", "--limits", "a", `--${flag}`],
      `--${flag.split("=")[0]}: expected without --limits, which has the numbers`,
    ]),
    [["serve", "--limits", "a", "--hybrid"], "--hybrid: expected with --redis"],
    [["serve", "--workers", "2"], "--workers: expected with --limits, got 2 without"],
    [["serve", "--workers", "0"], '--workers: expected a whole number from 1 to 256, got "0"'],
    [
      ["serve", "--limits", "a", "--redis", "redis://a", "--max-keys", "1"],
      "--max-keys: expected without --redis, which has memory of its own",
    ],
    ...["localhost:6379", "http://a", "redis://", "redis://a,b", "redis+sentinel://a", "redis+sentinel:///m"].map(
      (address): [string[], string] => [
        ["serve", "--limits", "a", "--redis", address],
        "--redis: expected redis://host:port, several of them with commas, or " +
          `redis+sentinel://host:port,host:port/name, got "${address}"`,
      ],
    ),
    [
      ["serve", "--admin-port", "0", "--admin-allow-host", "a, b/c"],
      '--admin-allow-host: expected host names with commas between them, got "a, b/c"',
    ],
  ])("refuses %j in one line that says what was expected", (args, line) => {
    expect(() => parseCommandLine(args)).toThrow(new UsageError(line));
  });

  it("explains every flag in the help text", () => {
    expect(HELP).toContain(`Usage: ${USAGE}\n`);
    for (const flag of FLAGS.split(", ")) expect(HELP).toContain(`\n  ${flag} `);
  });
});
