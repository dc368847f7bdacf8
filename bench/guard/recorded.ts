import { readFile, writeFile } from "node:fs/promises";
import { RECORDED } from "../orchestrate/paths.ts";
import type { Ratios } from "./judge.ts";

/** @throws Error when nothing was recorded yet. */
export async function readRecorded(): Promise<Ratios> {
  try {
    return JSON.parse(await readFile(RECORDED, "utf8")) as Ratios;
  } catch (error) {
    throw new Error("bench/recorded.json: expected recorded ratios; `npm run bench:guard -- --record` writes them", {
      cause: error,
    });
  }
}

export async function writeRecorded(ratios: Ratios): Promise<void> {
  const rounded = Object.entries(ratios).map(([name, ratio]) => [name, Number(ratio.toFixed(3))] as const);
  await writeFile(RECORDED, `${JSON.stringify(Object.fromEntries(rounded), undefined, 2)}\n`);
}
