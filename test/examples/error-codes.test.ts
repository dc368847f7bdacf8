import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "./code-blocks.ts";

const read = (file: string) => readFileSync(join(REPOSITORY, file), "utf8");

describe("docs/errors.md", () => {
  it("has an entry for every code, in order, and no other", () => {
    const codes = [...read("packages/tollgate/src/core/errors.ts").matchAll(/\| "(ERR_[A-Z_]+)"/g)].map(
      ([, code]) => code,
    );
    const entries = [...read("docs/errors.md").matchAll(/^## (\S+)$/gm)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(5);
    expect(entries).toEqual(codes);
  });
});
