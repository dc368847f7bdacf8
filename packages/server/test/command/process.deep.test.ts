import { describe, expect, it, onTestFinished } from "vitest";
import { call } from "../support/call.ts";
import { startServing } from "../support/command-process.ts";
import { openRequestInFlight } from "../support/connection.ts";

describe("tollgate serve", () => {
  it("listens, and says so in one line with the real port", async () => {
    const { command, url } = await startServing();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect(command.stdout).toBe(`tollgate is listening on ${url} (per client: capacity 10, refill 1 per second)\n`);
    expect(await call(url)).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });

  it("writes JSON lines, opens the admin listener, and says where", async () => {
    const { command } = await startServing(["--log-format", "json", "--admin-port", "0"]);
    command.kill("SIGTERM");
    expect(await command.exited).toBe(0);
    const lines = command.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect(lines).toMatchObject([
      { level: "info", event: "admin-listening", url },
      { level: "info", event: "listening", url, capacity: 10, refill: "1 per second" },
      { level: "info", event: "stopping", signal: "SIGTERM" },
    ]);
  });

  it("keeps serving after its output was closed", async () => {
    const { command, url } = await startServing();
    command.child.stdout.destroy();
    const connection = await openRequestInFlight(url);
    command.kill("SIGTERM");
    // The line that it logs now meets a closed pipe.
    await expect.poll(() => call(url).catch(String)).toContain("ECONNREFUSED");
    connection.send("\r\n");
    await connection.receives(/pong/);
    expect(await command.exited).toBe(0);
  });

  it("ends when it cannot close what it has opened", async () => {
    const { command } = await startServing([], {
      before:
        'import { Server } from "node:http"; Server.prototype.close = function () { return this; };' +
        "const { setTimeout } = globalThis; globalThis.setTimeout = (call, ms, ...rest) => setTimeout(call, ms / 100, ...rest);",
    });
    command.kill("SIGTERM");
    expect(await command.exited).toBe(0);
    expect(command.stderr + command.stdout).toContain("tollgate took longer than 15000 ms to stop\n");
  });

  it("answers 500 without a stack when the limiter fails, with one line on stderr", async () => {
    const brokenClock =
      'import { Server } from "node:http"; const { listen } = Server.prototype;' +
      "Server.prototype.listen = function (...args) { performance.now = () => NaN; return listen.apply(this, args); };";
    const { command, url } = await startServing([], { before: brokenClock });
    expect(await call(`${url}/ping`)).toMatchObject({ status: 500, body: '{"error":"internal server error"}' });
    command.kill("SIGTERM");
    expect(await command.exited).toBe(0);
    expect(command.stderr).toMatch(/^GET \/ping failed: TollgateError: clock\.now\(\): expected .+, got NaN\n$/);
  });
});

describe.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s", (signal, secondExitCode) => {
  it("lets a request in flight finish, and exits with 0", async () => {
    const { command, url } = await startServing();
    const connection = await openRequestInFlight(url);
    command.kill(signal);
    await command.line(/^tollgate is stopping on /);
    await expect(call(url)).rejects.toThrow("ECONNREFUSED");
    connection.send("\r\n");
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 200 .*pong$/s);
    expect(await command.exited).toBe(0);
    expect(command.stderr).toBe("");
  });

  it("exits with 0 at once without requests in flight", async () => {
    const { command } = await startServing();
    command.kill(signal);
    expect(await command.exited).toBe(0);
  });

  it("ends the process at once if it arrives a second time", async () => {
    const { command, url } = await startServing();
    const connection = await openRequestInFlight(url);
    command.kill(signal);
    await command.line(/^tollgate is stopping on /);
    // Again and again: what comes right after the first is the same wish.
    const again = setInterval(() => command.kill(signal), 50);
    onTestFinished(() => clearInterval(again));
    expect(await command.exited).toBe(secondExitCode);
    await connection.closed;
    expect(connection.received).toBe("");
  });

  it("may arrive twice within a moment, as from npm and the terminal", async () => {
    const { command, url } = await startServing();
    const connection = await openRequestInFlight(url);
    command.kill(signal);
    command.kill(signal);
    await command.line(/^tollgate is stopping on /);
    connection.send("\r\n");
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 200 .*pong$/s);
    expect(await command.exited).toBe(0);
  });
});
