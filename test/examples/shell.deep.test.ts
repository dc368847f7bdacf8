import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { freePort } from "../support/free-port.ts";
import { blocksOf, REPOSITORY } from "./code-blocks.ts";

const blocks = blocksOf("README.md");
const shell = blocks.filter(({ language }) => language === "sh");
const INSTALL = "npm install tollgate\n";
const START = "npm ci && npm start\n";
const TEST = "npm ci && npm test\n";

/** Another program may use the README's port on this machine. */
const port = await freePort();
const service = spawn("npm", ["start", "--silent", "--", "--port", String(port)], {
  cwd: REPOSITORY,
  detached: true,
  stdio: ["ignore", "pipe", "inherit"],
});
const lines = createInterface({ input: service.stdout as NodeJS.ReadableStream });
for await (const line of lines) if (line.includes(`127.0.0.1:${port}`)) break;

afterAll(async () => {
  const ended = once(service, "exit");
  // npm passes the signal on to the service.
  service.kill("SIGTERM");
  await ended;
});

describe("the README's shell blocks", () => {
  it("open with the installation, and have two npm commands whose scripts exist", () => {
    const commands = shell.map(({ code }) => code).filter((code) => code.includes("npm "));
    expect(blocks[0]?.code).toBe(INSTALL);
    expect(commands).toEqual([INSTALL, START, TEST]);
    expect(manifest.scripts).toMatchObject({ start: expect.any(String), test: expect.any(String) });
  });

  it("have a loop of curl that prints what the README shows", () => {
    const loop = blocks.findIndex(({ code }) => code.includes("curl"));
    const command = blocks[loop]?.code.replace("localhost:3000", `127.0.0.1:${port}`) ?? "";
    expect(blocks[loop + 1]?.language).toBe("text");
    expect(execFileSync("sh", ["-c", command], { encoding: "utf8" })).toBe(blocks[loop + 1]?.code);
  });

  it("start a service that answers five calls of /test with three 200 and two 429", () => {
    const command = `for i in $(seq 5); do curl -s -o /dev/null -w "%{http_code} " 127.0.0.1:${port}/test; done`;
    expect(execFileSync("sh", ["-c", command], { encoding: "utf8" })).toBe("200 200 200 429 429 ");
  });

  it("are all that is not TypeScript or output", () => {
    const known = [
      ...shell.map(({ code }) => code),
      ...blocks.filter(({ language }) => language === "ts" || language === "text").map(({ code }) => code),
    ];
    expect(blocks.map(({ code }) => code).filter((code) => !known.includes(code))).toEqual([]);
    expect(shell).toHaveLength(4);
  });
});

describe("the pages about the service", () => {
  it.each(["docs/service.md", "packages/server/README.md"])("have a command that starts it: %s", async (page) => {
    const [block] = blocksOf(page).filter(({ language }) => language === "sh");
    const [command, ...words] = block?.code.replace("--port 3000", "--port 0").trim().split(" ") ?? [];
    expect(command).toBe("tollgate");
    const started = spawn(process.execPath, [join(REPOSITORY, "packages/server/bin/tollgate.js"), ...words], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(createInterface({ input: started.stdout }), "line");
    expect(line).toMatch(/127\.0\.0\.1:\d+/);
    started.kill("SIGTERM");
    expect(await once(started, "exit")).toEqual([0, null]);
  });
});
