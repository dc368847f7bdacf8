import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/planted-workspace.ts";
import { type Run, runNode } from "../support/run.ts";
import { folderOfFile, remove, temporaryFolder } from "../support/temporary-folder.ts";
import { plantInstalled, toolOf } from "./installed-project.ts";
import { toCommonJs, userEnvironment } from "./projects.ts";

/** Runs in a browser: it needs nothing of Node. */
const FOR_BROWSERS = `import { createLimiter, perMinute, TollgateError } from "tollgate";
import { clientIp, rateLimit } from "tollgate/fetch";
import { tableStore } from "tollgate/table";

const limiter = createLimiter({ limits: [perMinute(2)], store: tableStore({ maxKeys: 100 }) });
console.log(limiter.allow("ann"), limiter.allow("ann"), limiter.allow("ann"));
try {
  rateLimit({ limiter: createLimiter({ key: clientIp(), limits: [perMinute(-1)] }) });
} catch (error) {
  console.log(error instanceof TollgateError, error.message);
}
`;

const FOR_NODE = `${FOR_BROWSERS.replace("tollgate/fetch", "tollgate/express")}
import { redisStore } from "tollgate/redis";
import { sharedStore } from "tollgate/shared";
console.log(typeof redisStore, typeof sharedStore);
`;

const PRINTED = "true true false\ntrue count: expected a positive number of at most six decimal places, got -1\n";

const TOOLS = {
  esbuild: join(REPOSITORY, "node_modules/esbuild/bin/esbuild"),
  vite: join(REPOSITORY, "node_modules/vite/bin/vite.js"),
};

const WEBPACK = `const webpack = require(${JSON.stringify(toolOf("webpack"))});
const [entry, target, filename] = process.argv.slice(2);
webpack(
  {
    mode: "production",
    // Warnings about sizes are for bundles that are minified.
    performance: false,
    context: __dirname,
    entry,
    target,
    output: { path: __dirname + "/out", filename },
    optimization: { minimize: false },
  },
  (error, stats) => {
    if (error || stats.hasErrors() || stats.hasWarnings()) throw error ?? new Error(stats.toString());
  },
);
`;

const VITE = `export default {
  logLevel: "warn",
  build: { outDir: "out/vite", lib: { entry: "browser.js", formats: ["es"], fileName: "main" } },
};
`;

const root = folderOfFile();
await plantInstalled(root, {
  "browser.js": FOR_BROWSERS,
  "node.js": FOR_NODE,
  "require.cjs": toCommonJs(FOR_NODE),
  "webpack.cjs": WEBPACK,
  "vite.config.mjs": VITE,
});

/** Bundles, then runs the bundle in a folder without the package. */
async function printedBy(command: readonly string[], file: string): Promise<Run> {
  const bundled = await runNode(root, command, userEnvironment());
  expect(bundled).toMatchObject({ status: 0, stderr: "" });
  const other = temporaryFolder();
  try {
    writeFileSync(join(other, "package.json"), "{}");
    return await runNode(other, [join(root, "out", file)], userEnvironment());
  } finally {
    remove(other);
  }
}

const ESBUILD = [TOOLS.esbuild, "--bundle", "--log-level=warning"];

describe("a program bundled for browsers", () => {
  it.each([
    ["esbuild", [...ESBUILD, "browser.js", "--platform=browser", "--format=esm", "--outfile=out/a.mjs"], "a.mjs"],
    ["webpack", ["webpack.cjs", "./browser.js", "web", "b.cjs"], "b.cjs"],
    ["Vite", [TOOLS.vite, "build"], "vite/main.mjs"],
  ])("decides, with no module of Node inside: %s", async (_name, command, file) => {
    expect(await printedBy(command, file)).toEqual({ status: 0, stdout: PRINTED, stderr: "" });
  });
});

describe("a program bundled for Node", () => {
  const stdout = `${PRINTED}function function\n`;

  it.each([
    ["esbuild, import", [...ESBUILD, "node.js", "--platform=node", "--format=cjs", "--outfile=out/c.cjs"], "c.cjs"],
    ["esbuild, require", [...ESBUILD, "require.cjs", "--platform=node", "--outfile=out/d.cjs"], "d.cjs"],
    ["webpack, import", ["webpack.cjs", "./node.js", "node", "e.cjs"], "e.cjs"],
    ["webpack, require", ["webpack.cjs", "./require.cjs", "node", "f.cjs"], "f.cjs"],
  ])("loads the adapters and the Redis store: %s", async (_name, command, file) => {
    expect(await printedBy(command, file)).toEqual({ status: 0, stdout, stderr: "" });
  });
});
