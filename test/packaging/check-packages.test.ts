import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/planted-workspace.ts";
import { type Run, runNode } from "../support/run.ts";
import { plant, remove, temporaryFolder } from "../support/temporary-folder.ts";

const MANIFEST = {
  version: "1.0.0",
  license: "MIT",
  type: "module",
  sideEffects: false,
  engines: { node: ">=20" },
  files: ["dist", "bin"],
  main: "./dist/index.cjs",
  types: "./dist/index.d.cts",
  exports: {
    ".": {
      import: { types: "./dist/index.d.ts", default: "./dist/index.js" },
      require: { types: "./dist/index.d.cts", default: "./dist/index.cjs" },
    },
    "./package.json": "./package.json",
  },
};

const WITHOUT_EXPORTS = { ...MANIFEST, exports: undefined, main: undefined, types: undefined };

const PAPERS = {
  "README.md": "# Planted\n",
  LICENSE: readFileSync(join(REPOSITORY, "LICENSE"), "utf8"),
};

const CODE = {
  "src/index.ts": "export const a = 1;\n",
  "dist/index.js": "export const a = 1;\n",
  "dist/index.cjs": "exports.a = 1;\n",
};

const TYPES = {
  "dist/index.d.ts": 'export * from "./index.cjs";\n',
  "dist/index.d.cts": "export declare const a = 1;\n",
};

interface Planted {
  readonly manifest: object;
  readonly files: Readonly<Record<string, string>>;
  /** The beginnings of the findings. */
  readonly findings: readonly string[];
}

/** Planted packages by their names. */
const PACKAGES: Readonly<Record<string, Planted>> = {
  good: { manifest: MANIFEST, files: { ...PAPERS, ...CODE, ...TYPES }, findings: [] },
  commands: {
    manifest: { ...WITHOUT_EXPORTS, bin: { one: "bin/one.js", two: "bin/missing.js" } },
    files: { ...PAPERS, "bin/one.js": "#!/usr/bin/env node\n" },
    findings: ["two: bin/missing.js is not in the tarball", "publint: "],
  },
  strays: {
    manifest: WITHOUT_EXPORTS,
    files: {
      ...CODE,
      LICENSE: "All rights reserved\n",
      "dist/.tsbuildinfo": "{}",
      "dist/chunks/shared.js": "",
      "dist/index.js.map": "{}",
      "dist/index.test.js": "",
      "dist/old.d.cts": "",
      "src/index.test.ts": "",
    },
    findings: [
      "files: no README.md",
      "files: dist/.tsbuildinfo does not belong in a package",
      "files: dist/index.js.map does not belong in a package",
      "files: dist/index.test.js does not belong in a package",
      "files: dist/old.d.cts has no source",
      "files: LICENSE differs from the workspace's",
    ],
  },
  heavy: {
    manifest: WITHOUT_EXPORTS,
    files: {
      ...PAPERS,
      ...Object.fromEntries(Array.from({ length: 350 }, (_, i) => [`dist/chunks/${i}.js`, "// ".padEnd(7_450, ".")])),
    },
    findings: ["files: expected at most 350, got 353", "files: expected at most 2600000 bytes, got 26"],
  },
  "dead-ends": {
    manifest: {
      ...MANIFEST,
      exports: {
        ".": {
          import: { default: "./dist/index.js", types: "./dist/index.d.ts" },
          require: { types: "./dist/index.d.cts", default: "./dist/index.cjs" },
        },
        "./more": "./dist/more.js",
        "./all/*": "./dist/all/*.js",
        "./none": null,
      },
    },
    files: { "README.md": "# Planted\n", ...CODE, ...TYPES },
    findings: [
      "files: no LICENSE",
      "./more: ./dist/more.js is not in the tarball",
      "./all/*: ./dist/all/*.js is not in the tarball",
      "./none: leads nowhere",
      'publint: pkg.exports["."].import.types should be the first',
      'publint: pkg.exports["."].import.default should be the last',
      'publint: pkg.exports["./more"] is ./dist/more.js but the file does not exist',
      'publint: pkg.exports["./all/*"] is ./dist/all/*.js but does not match any files',
      "attw: ",
    ],
  },
  untyped: {
    manifest: { ...WITHOUT_EXPORTS, exports: { ".": "./dist/index.js" } },
    files: { ...PAPERS, ...CODE },
    findings: ["attw: "],
  },
  "types-of-commonjs": {
    manifest: { ...MANIFEST, exports: { ".": { types: "./dist/index.d.cts", default: "./dist/index.js" } } },
    files: { ...PAPERS, ...CODE, "dist/index.d.cts": "declare const a: 1;\nexport = a;\n" },
    findings: ["publint: ", "attw: "],
  },
  "types-of-modules": {
    manifest: {
      ...MANIFEST,
      exports: {
        ".": { types: "./dist/index.d.ts", import: "./dist/index.js", require: "./dist/index.cjs" },
      },
    },
    files: { ...PAPERS, ...CODE, ...TYPES },
    findings: ["publint: ", "attw: "],
  },
  "modules-only": {
    manifest: { ...MANIFEST, exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } } },
    files: { ...PAPERS, ...CODE, ...TYPES },
    findings: ["attw: "],
  },
  "types-of-nothing": {
    manifest: MANIFEST,
    files: { ...PAPERS, ...CODE, ...TYPES, "dist/index.d.ts": 'export { a } from "./missing.js";\n' },
    findings: ["attw: "],
  },
};

describe("tools/check-packages", () => {
  let root: string;
  let alone: Run;
  let together: Run;
  beforeAll(async () => {
    root = temporaryFolder();
    for (const [name, { manifest, files }] of Object.entries(PACKAGES)) {
      plant(join(root, name), { "package.json": JSON.stringify({ name, ...manifest }), ...files });
    }
    alone = await check(["good"]);
    together = await check(Object.keys(PACKAGES));
  });
  afterAll(() => remove(root));

  function check(names: readonly string[]): Promise<Run> {
    const tsx = join(REPOSITORY, "node_modules/tsx/dist/cli.mjs");
    return runNode(root, [tsx, join(REPOSITORY, "tools/check-packages.ts"), ...names]);
  }

  /** The lines about one package, without their heading. */
  function linesAbout(name: string): readonly string[] {
    const [, about = ""] = together.stdout.split(new RegExp(`^${name}@.*$`, "m"));
    return about.split(/^\S/m)[0]?.match(/(?<=^ {2})\S.*$/gm) ?? [];
  }

  it("succeeds for a good package", () => {
    expect(alone).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^good@1\.0\.0, 7 files, \d+ bytes: all good\n$/) as string,
      stderr: "",
    });
  });

  it("fails for packages with faults", () => {
    expect(together).toMatchObject({ status: 1, stderr: "" });
  });

  it.each(Object.entries(PACKAGES))(
    "reports every fault of a planted package, and nothing else: %s",
    (name, { findings }) => {
      const lines = linesAbout(name).filter((line) => /^(attw|publint|files|\.|\w+:)/.test(line));
      expect(lines).toEqual(findings.map((start) => expect.stringContaining(start)));
    },
  );
});
