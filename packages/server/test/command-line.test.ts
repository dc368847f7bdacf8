import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runCommand } from "./command.ts";
import { startTestService } from "./test-service.ts";

const WHOLE = "a whole number from 1 to 9007199254740991";
const PORT = "a whole number from 0 to 65535";
const FLAGS = "--host, --port, --capacity, --refill-per-second, --trust-proxy, --help, --version";
const USAGE =
  "tollgate serve [--port <number>] [--host <address>] [--capacity <number>] [--refill-per-second <number>] " +
  "[--trust-proxy <hops | addresses>]";

describe("the command line is refused, in one line and with exit code 2:", () => {
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
    [
      ["serve", "--refill-per-second", "9000001"],
      "refill: expected at most 9 units per microsecond, got 9000001 in 1000000 µs; " +
        "count in larger units (kilobytes instead of bytes)",
    ],
  ])("%j", async (args, line) => {
    expect(await runCommand(args)).toEqual({ code: 2, stdout: "", stderr: `tollgate: ${line}\n` });
  });
});

describe("an address that cannot be had ends it, in one line and with exit code 1:", () => {
  it("a port in use", async () => {
    const { url } = await startTestService();
    const { port } = new URL(url);
    expect(await runCommand(["serve", "--port", port])).toEqual({
      code: 1,
      stdout: "",
      stderr: `tollgate: --port: expected a free port, got ${port}, which is in use on 127.0.0.1\n`,
    });
  });

  it("a host that is somewhere else", async () => {
    expect(await runCommand(["serve", "--port", "0", "--host", "192.0.2.1"])).toEqual({
      code: 1,
      stdout: "",
      stderr: 'tollgate: --host: expected an address of this machine, got "192.0.2.1" (EADDRNOTAVAIL)\n',
    });
  });
});

describe("it prints, and exits with 0:", () => {
  it.each([[["--help"]], [["serve", "--help"]]])("%j", async (args) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Usage: ${USAGE}\n`);
    for (const flag of FLAGS.split(", ")) expect(stdout).toContain(`\n  ${flag} `);
  });

  it("--version", async () => {
    const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
    const { version } = JSON.parse(manifest) as { version: string };
    expect(await runCommand(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });
});
