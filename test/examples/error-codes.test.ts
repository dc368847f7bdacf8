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
