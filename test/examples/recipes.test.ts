import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { blocksOf, REPOSITORY } from "./code-blocks.ts";

const FOLDER = "docs/recipes";
const pages = readdirSync(join(REPOSITORY, FOLDER)).filter((page) => page !== "README.md");

describe("the recipes", () => {
  it("are all in the index", () => {
    const index = readFileSync(join(REPOSITORY, FOLDER, "README.md"), "utf8");
    const linked = [...index.matchAll(/\(([\w-]+\.md)\)/g)].map(([, page]) => page);
    expect(linked.toSorted()).toEqual(pages.toSorted());
    expect(pages.length).toBeGreaterThan(9);
  });

  it.each(pages)("begin with code that prints something: %s", (page) => {
    const [first] = blocksOf(join(FOLDER, page));
    expect(first?.language).toBe("ts");
    expect(first?.code).toContain("console.log(");
  });
});
