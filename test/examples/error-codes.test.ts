import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "./code-blocks.ts";

const read = (file: string) => readFileSync(join(REPOSITORY, file), "utf8");

describe("docs/errors.md", () => {
  it("has an entry for every error code, in the order of the code, and no other entry", () => {
    const source = read("packages/tollgate/src/core/errors.ts");
    const codes = [...source.matchAll(/\| "(ERR_[A-Z_]+)"/g)].map(([, code]) => code);
    const entries = [...read("docs/errors.md").matchAll(/^## (\S+)$/gm)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(5);
    expect(entries).toEqual(codes);
  });
});

describe("docs/warnings.md", () => {
  it("has a section for every warning, in the order of the code, and no other section", () => {
    const source = read("packages/tollgate/src/core/warnings.ts");
    const [, union = ""] = /type WarningCode =([^;]+);/.exec(source) ?? [];
    const codes = [...union.matchAll(/"([a-z-]+)"/g)].map(([, code]) => code);
    const sections = [...read("docs/warnings.md").matchAll(/^## (\S+)$/gm)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(3);
    expect(sections).toEqual(codes);
  });
});
