import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Copy } from "./copy.ts";

/** One deliberate mistake, which the tests have to catch. */
export interface Mutant {
  readonly name: string;
  /** A path from packages/tollgate/src/algorithms. */
  readonly file: string;
  /** Text that occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The effect of the mistake. */
  readonly why: string;
}

/** Applies a mutant to a copy. @throws Error when the file does not contain its text exactly once. */
export async function mutate({ source }: Copy, { name, file, find, replace }: Mutant): Promise<void> {
  const path = join(source, "algorithms", file);
  const text = await readFile(path, "utf8");
  const found = text.split(find).length - 1;
  if (found !== 1) throw new Error(`${name}: expected its text once in ${file}, got it ${found} times`);
  await writeFile(
    path,
    text.replace(find, () => replace),
  );
}
