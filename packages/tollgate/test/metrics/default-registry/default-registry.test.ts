import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLimiter, perMinute } from "tollgate";
import { instrument } from "tollgate/metrics";
import { expect, it, vi } from "vitest";
import { runNode } from "../../../../../test/support/run.ts";
import { plant, remove, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const DIST = fileURLToPath(new URL("../../../dist/", import.meta.url));

it("is the one that the program imports, and is loaded by the first use without a registry", async () => {
  expect(await runNode(FOLDER, ["program.mjs"])).toEqual({
    status: 0,
    stdout:
      'without it: false\nwith it: true\nrate_limit_acquire_total{limiter="api",limit="calls",result="allow"} 1\n',
    stderr: "",
  });
});

it("is the one that a program in CommonJS requires", async () => {
  const program = `
    const { createLimiter, perMinute } = require("tollgate");
    const { instrument } = require("tollgate/metrics");
    const limiter = createLimiter({ name: "api", limits: [perMinute(2, { name: "calls" })] });
    instrument(limiter);
    limiter.allow("ann");
    require("prom-client").register.metrics().then((text) => {
      console.log(text.split("\\n").find((line) => line.startsWith("rate_limit_acquire_total")));
    });`;
  const { stdout, stderr } = await runNode(FOLDER, ["-e", program]);
  expect([stdout, stderr]).toEqual(['rate_limit_acquire_total{limiter="api",limit="calls",result="allow"} 1\n', ""]);
});

it("is asked for where prom-client is not installed, and in runtimes that cannot require", async () => {
  const root = temporaryFolder();
  plant(root, {
    "program.mjs": `import { createLimiter, perMinute } from "${DIST}index.js";
import { instrument } from "${DIST}metrics/index.js";
try { instrument(createLimiter({ limits: [perMinute(1)] })); } catch (error) { console.log(error.code, error.message); }`,
  });
  const message =
    "registry: expected a Registry of prom-client, got undefined; " +
    "npm i prom-client beside the program's main file, or pass { registry }";
  expect((await runNode(root, ["program.mjs"])).stdout).toBe(`ERR_OPTION ${message}\n`);
  remove(root);
  vi.stubGlobal("process", undefined);
  expect(() => instrument(createLimiter({ limits: [perMinute(1)] }))).toThrow(message);
});

it("is imported by no file of the package", () => {
  const text = readFileSync(join(DIST, "metrics/index.js"), "utf8");
  expect(text).not.toMatch(/from "prom-client"|import\("prom-client"\)/);
});
