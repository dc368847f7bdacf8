import { Agent } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Answer, call } from "./call.ts";
import { startServing } from "./command-process.ts";
import { openRequestInFlight } from "./connection.ts";

describe("tollgate serve", () => {
  it("soon listens, and says so in one line with the real port", async () => {
    const startedMs = performance.now();
    const { command, url } = await startServing();
    expect(performance.now() - startedMs).toBeLessThan(3_000);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect(command.stdout).toBe(`tollgate is listening on ${url} (per client: capacity 10, refill 1 per second)\n`);
    expect(await call(url)).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });

  it("allows ten calls of /ping and denies the eleventh", async () => {
    const { url } = await startServing();
    // One connection, so that all are there well before the second in which the first one's unit comes back.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const answers: Answer[] = [];
    while (answers.length < 11) answers.push(await call(`${url}/ping`, { agent }));

    const denied = answers.pop();
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: "pong" });
    expect(denied).toMatchObject({
      status: 429,
      headers: { "retry-after": "1", "content-type": "application/json; charset=utf-8" },
      body: '{"error":"rate limit exceeded","retry_after_secs":1}',
    });
  });

  it("takes the numbers of the flags", async () => {
    const { command, url } = await startServing(["--capacity", "2", "--refill-per-second", "1"]);
    expect(command.stdout).toContain("(per client: capacity 2, refill 1 per second)\n");
    const answers = await Promise.all([call(url), call(url), call(url)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
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

  it("answers 500 without a stack when the limiter fails, with one line on stderr", async () => {
    const brokenClock =
      'import { Server } from "node:http"; const { listen } = Server.prototype;' +
      "Server.prototype.listen = function (...args) { performance.now = () => NaN; return listen.apply(this, args); };";
    const preload = `--import "data:text/javascript,${encodeURIComponent(brokenClock)}"`;
    const { command, url } = await startServing([], { NODE_OPTIONS: preload });
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
