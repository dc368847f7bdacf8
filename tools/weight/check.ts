/** Fails when a room of the repository, or a bundle of the built library, is larger than its budget. */
import { fileURLToPath } from "node:url";
import { bundledSize, PROGRAMS, pageSize } from "./bundles.ts";
import { ROOMS, sizeOf } from "./rooms.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

interface Weighed {
  readonly name: string;
  readonly size: number;
  readonly budget: number;
  readonly goal: number;
}

const text = (number: number) => number.toLocaleString("en", { maximumFractionDigits: 1 });

function print(title: string, all: readonly Weighed[]): void {
  const row = (name: string, ...columns: readonly string[]) =>
    name.padEnd(30) + columns.map((column) => column.padStart(9)).join("");
  console.log(row(title, "today", "budget", "goal"));
  for (const { name, size, budget, goal } of all) console.log(row(`  ${name}`, text(size), text(budget), text(goal)));
}

process.chdir(ROOT);
const rooms = ROOMS.map(([name, paths, budget, goal]) => ({ name, size: sizeOf(paths), budget, goal }));
const bundles: Weighed[] = [];
for (const program of PROGRAMS) bundles.push({ ...program, size: await bundledSize(ROOT, program) });
bundles.push({ name: "the page of the dashboard", size: await pageSize(ROOT), budget: 40, goal: 35 });

print("lines of code, or words", rooms);
print("kB of a bundle, gzipped", bundles);
for (const { name, size, budget } of [...rooms, ...bundles]) {
  if (size <= budget) continue;
  console.error(
    `${name}: expected at most ${text(budget)}, got ${text(size)}; remove some, or raise the budget and say why`,
  );
  process.exitCode = 1;
}
