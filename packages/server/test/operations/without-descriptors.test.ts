import { writeFile } from "node:fs/promises";
import { Agent } from "node:http";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { call } from "../support/call.ts";
import { startServing } from "../support/command-process.ts";
import { limitsFile } from "../support/limits-file.ts";
import { LIMITS, WRITER } from "./operate.ts";

/** Takes every descriptor that is left on SIGUSR2, and closes them on the next one. */
const TAKE_DESCRIPTORS = `
import { closeSync, openSync } from "node:fs";
const taken = [];
process.on("SIGUSR2", () => {
  if (taken.length > 0) {
    for (const descriptor of taken.splice(0)) closeSync(descriptor);
    console.log("there are descriptors");
    return;
  }
  try {
    for (;;) taken.push(openSync("/dev/null"));
  } catch (error) {
    console.log(\`no descriptors: \${error.code}\`);
  }
});`;

it("long limits are 503 while no thread can start for lack of descriptors, and are read afterwards", async () => {
  const { path } = await limitsFile(LIMITS);
  const tokens = join(dirname(path), "tokens");
  await writeFile(tokens, WRITER);
  const { command } = await startServing(["--limits", path, "--admin-port", "0", "--admin-token-file", tokens], {
    before: TAKE_DESCRIPTORS,
    mostDescriptors: 200,
  });
  const [adminUrl = ""] = /http:\S+/.exec(await command.line(/operators/)) ?? [];
  // The connection is open before descriptors run out.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const put = (body: string) => {
    const headers = { authorization: `Bearer ${WRITER}`, "content-type": "application/yaml", "if-match": "*" };
    return call(`${adminUrl}/v1/limits`, { agent, method: "PUT", headers, body });
  };
  const rules = Array.from(
    { length: 400 },
    (_, i) => `      r${i}: { match: { path: /v1/${i} }, by: ip, rate: 9/1m }\n`,
  );
  const long = LIMITS + rules.join("");
  expect((await put(LIMITS)).status).toBe(200);

  command.kill("SIGUSR2");
  await command.line(/^no descriptors: EMFILE$/);
  const refused = await put(long);
  expect([refused.status, refused.headers["retry-after"], refused.body]).toEqual([
    503,
    "1",
    expect.stringContaining("the limits could not be read"),
  ]);
  expect((await put(LIMITS)).status).toBe(200);

  command.kill("SIGUSR2");
  await command.line(/^there are descriptors$/);
  expect((await put(long)).status).toBe(200);
});
