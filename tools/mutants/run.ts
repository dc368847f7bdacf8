import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { parse } from "yaml";
import { Copy, testsOf } from "./copy.ts";

/** One deliberate mistake, which the tests have to catch. `mutants.yaml` has them by file. */
interface Mutant {
  readonly name: string;
  /** Text that occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The effect of the mistake. */
  readonly why: string;
}

const LIST = new URL("mutants.yaml", import.meta.url);

/**
 * Applies each mutant to a copy of the library and runs the tests of its room on it. Fails unless they catch every
 * mutant. `only` are parts of files or names of mutants; without any, all of them run.
 */
async function run(only: readonly string[]): Promise<boolean> {
  const byFile = parse(await readFile(LIST, "utf8")) as Readonly<Record<string, readonly Mutant[]>>;
  const all = Object.entries(byFile).flatMap(([file, mutants]) => mutants.map((mutant) => ({ file, mutant })));
  const isChosen = (text: string) => only.length === 0 || only.some((part) => text.includes(part));
  const chosen = all.filter(({ file, mutant }) => isChosen(`${file}: ${mutant.name}`));
  const unchanged = await Copy.make("unchanged");
  for (const file of new Map(chosen.map((each) => [testsOf(each.file).join(), each.file])).values()) {
    const verdict = await unchanged.judge(file);
    if (verdict !== "passes") throw new Error(`${file} without a mutant: expected that it passes, got "${verdict}"`);
  }

  const waiting = [...chosen.entries()];
  let caught = 0;
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [i, { file, mutant }] = next;
      if (await isCaught(file, mutant, `mutant-${i}`)) caught += 1;
    }
  };
  // When one worker fails, the others finish their mutants before the copies are removed.
  const ends = await Promise.allSettled(Array.from({ length: availableParallelism() }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  console.log(`${caught} of ${chosen.length} mutants caught`);
  return caught === chosen.length;
}

/** A mutant that hangs counts as caught. One whose text has changed has to be written anew, or taken out. */
async function isCaught(file: string, { name, find, replace, why }: Mutant, folder: string): Promise<boolean> {
  const copy = await Copy.make(folder);
  const isApplied = await copy.replace(file, find, replace);
  const verdict = isApplied ? await copy.judge(file) : `${file} does not have its text once`;
  const caught = verdict === "fails" || verdict === "hangs";
  console.log(
    caught ? `caught    ${name}${verdict === "hangs" ? " (hangs)" : ""}` : `SURVIVES  ${name} (${verdict}): ${why}`,
  );
  return caught;
}

try {
  process.exitCode = (await run(process.argv.slice(2))) ? 0 : 1;
} finally {
  await Copy.removeAll();
}
