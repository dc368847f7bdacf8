import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TestSpecification, Vitest } from "vitest/node";
import { LongestFirst } from "../tools/longest-first.ts";
import recorded from "../tools/test-seconds.json" with { type: "json" };

const ROOT = "/repository";

/** A vitest that has no record of its own, as after `npm ci`. */
const VITEST = {
  config: { root: ROOT },
  cache: { getFileTestResults: () => undefined, getFileStats: () => undefined },
} as unknown as Vitest;

function specification(file: string, groupOrder: number, isolate = true): TestSpecification {
  const project = { name: "project", config: { isolate, sequence: { groupOrder } } };
  return { moduleId: join(ROOT, file), project } as unknown as TestSpecification;
}

const byTime = Object.entries(recorded).sort(([, a], [, b]) => b - a);
const [longest = ""] = byTime.at(0) ?? [];
const [shortest = ""] = byTime.at(-1) ?? [];

describe("the order of the test files", () => {
  it("is by recorded time, the longest first, with unknown files before short ones", async () => {
    const files = [shortest, "new.test.ts", longest].map((file) => specification(file, 0));
    const sorted = await new LongestFirst(VITEST).sort(files);
    expect(sorted.map(({ moduleId }) => moduleId)).toEqual(
      [longest, "new.test.ts", shortest].map((file) => join(ROOT, file)),
    );
  });

  it("keeps the groups of a run apart, such as files in parallel and floods", async () => {
    const files = [specification(longest, 1), specification(shortest, 0)];
    const sorted = await new LongestFirst(VITEST).sort(files);
    expect(sorted.map(({ moduleId }) => moduleId)).toEqual([shortest, longest].map((file) => join(ROOT, file)));
  });

  it("has the files that share processes together, after those with processes of their own", async () => {
    const files = [
      specification(longest, 0, false),
      specification(shortest, 0),
      specification("new.test.ts", 0, false),
    ];
    const sorted = await new LongestFirst(VITEST).sort(files);
    expect(sorted.map(({ moduleId }) => moduleId)).toEqual(
      [shortest, longest, "new.test.ts"].map((file) => join(ROOT, file)),
    );
  });
});
