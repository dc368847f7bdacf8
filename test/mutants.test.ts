import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const byFile: Record<string, { name: string; find: string }[]> = parse(read("tools/mutants/mutants.yaml"));

it.each(Object.entries(byFile))("%s has the text of each of its mutants once", (file, mutants) => {
  const parts = mutants.map(({ name, find }) => [name, read(`packages/tollgate/src/${file}`).split(find).length]);
  expect(parts).toEqual(mutants.map(({ name }) => [name, 2]));
});
