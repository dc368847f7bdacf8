import { describe, expect, it } from "vitest";
import { HELP, parseCommandLine, UsageError } from "../src/command-line.ts";

const WHOLE = "a whole number from 1 to 9007199254740991";
const PORT = "a whole number from 0 to 65535";
const FLAGS = "--host, --port, --capacity, --refill-per-second, --trust-proxy, --help, --version";
const USAGE =
  "tollgate serve [--port <number>] [--host <address>] [--capacity <number>] [--refill-per-second <number>] " +
  "[--trust-proxy <hops | addresses>]";

describe("the command line", () => {
  it("gives serve its defaults", () => {
    expect(parseCommandLine(["serve"])).toEqual({
      kind: "serve",
      settings: { host: "127.0.0.1", port: 3000, capacity: 10, refillPerSecond: 1, trustProxy: false },
    });
  });

  it("takes flags before and after serve", () => {
    const args = ["--port", "0", "serve", "--host=::1", "--capacity", "200", "--refill-per-second", "30"];
    expect(parseCommandLine(args)).toEqual({
      kind: "serve",
      settings: { host: "::1", port: 0, capacity: 200, refillPerSecond: 30, trustProxy: false },
    });
  });

  it("takes the last of two values of a flag", () => {
    expect(parseCommandLine(["serve", "--port", "1", "--port", "65535"])).toMatchObject({ settings: { port: 65_535 } });
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
    [["sevre"], 'expected the command serve, got "sevre"'],
    [["serve", "now"], 'expected only flags after serve, got "now"'],
    [["serve", "--", "now"], 'expected only flags after serve, got "now"'],
    [["--bogus"], `expected one of ${FLAGS}, got "--bogus"`],
    [["serve", "--bogus=1"], `expected one of ${FLAGS}, got "--bogus"`],
    [["serve", "-p", "3000"], `expected one of ${FLAGS}, got "-p"`],
    [["serve", "--no-port"], `expected one of ${FLAGS}, got "--no-port"`],
    [["serve", "--help=yes"], '--help: expected no value, got "yes"'],
    [["serve", "--port"], `--port: expected ${PORT}, got none`],
    [["serve", "--port="], `--port: expected ${PORT}, got ""`],
    [["serve", "--port", "abc"], `--port: expected ${PORT}, got "abc"`],
    [["serve", "--port", "70000"], `--port: expected ${PORT}, got "70000"`],
    [["serve", "--port", "65536"], `--port: expected ${PORT}, got "65536"`],
    [["serve", "--port", "-1"], `--port: expected ${PORT}, got "-1"`],
    [["serve", "--port=-1"], `--port: expected ${PORT}, got "-1"`],
    [["serve", "--port", "--host", "::1"], `--port: expected ${PORT}, got "--host"`],
    [["serve", "--port", "0x10"], `--port: expected ${PORT}, got "0x10"`],
    [["serve", "--host"], "--host: expected an address or a host name, got none"],
    [["serve", "--host", ""], '--host: expected an address or a host name, got ""'],
    [["serve", "--host", " "], '--host: expected an address or a host name, got " "'],
    [["serve", "--capacity", "0"], `--capacity: expected ${WHOLE}, got "0"`],
    [["serve", "--capacity", "1.5"], `--capacity: expected ${WHOLE}, got "1.5"`],
    [["serve", "--capacity", "1e3"], `--capacity: expected ${WHOLE}, got "1e3"`],
    [["serve", "--capacity", "9007199254740992"], `--capacity: expected ${WHOLE}, got "9007199254740992"`],
    [["serve", "--capacity", "ten\n"], `--capacity: expected ${WHOLE}, got "ten\\n"`],
    [["serve", "--refill-per-second", "0"], `--refill-per-second: expected ${WHOLE}, got "0"`],
    [["serve", "--refill-per-second", " 1"], `--refill-per-second: expected ${WHOLE}, got " 1"`],
  ])("refuses %j in one line that says what was expected", (args, line) => {
    expect(() => parseCommandLine(args)).toThrow(new UsageError(line));
  });

  it("explains every flag in the help text", () => {
    expect(HELP).toContain(`Usage: ${USAGE}\n`);
    for (const flag of FLAGS.split(", ")) expect(HELP).toContain(`\n  ${flag} `);
  });
});
