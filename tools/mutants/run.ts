import { availableParallelism } from "node:os";
import { BLOCK_MUTANTS } from "./block-mutants.ts";
import { BUCKET_MUTANTS } from "./bucket-mutants.ts";
import { CHANGE_MUTANTS } from "./change-mutants.ts";
import { makeCopy, removeCopies } from "./copy.ts";
import { HOT_KEY_MUTANTS } from "./hot-key-mutants.ts";
import { judge } from "./judge.ts";
import { LAYOUT_MUTANTS } from "./layout-mutants.ts";
import { LINE_MUTANTS } from "./line-mutants.ts";
import { type Mutant, mutate } from "./mutant.ts";
import { PLACE_MUTANTS } from "./place-mutants.ts";
import { PLAN_MUTANTS } from "./plan-mutants.ts";
import { RECEIPT_MUTANTS } from "./receipt-mutants.ts";
import { RESERVATION_MUTANTS } from "./reservation-mutants.ts";
import { SHARED_MUTANTS } from "./shared-mutants.ts";
import { WINDOW_MUTANTS } from "./window-mutants.ts";

const ALL_MUTANTS: readonly Mutant[] = [
  ...BUCKET_MUTANTS,
  ...WINDOW_MUTANTS,
  ...PLAN_MUTANTS,
  ...BLOCK_MUTANTS,
  ...LAYOUT_MUTANTS,
  ...CHANGE_MUTANTS,
  ...SHARED_MUTANTS,
  ...LINE_MUTANTS,
  ...RECEIPT_MUTANTS,
  ...RESERVATION_MUTANTS,
  ...PLACE_MUTANTS,
  ...HOT_KEY_MUTANTS,
];

/** Applies each mutant to a copy of the library and runs the tests on it. Fails unless they catch every mutant. */
async function run(only: string): Promise<boolean> {
  const mutants = ALL_MUTANTS.filter(({ name }) => name.includes(only));
  const unchanged = await judge(await makeCopy("unchanged"));
  if (unchanged !== "passes") throw new Error(`without a mutant: expected that it passes, got that it ${unchanged}`);

  const waiting = [...mutants.entries()];
  let caught = 0;
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [i, mutant] = next;
      if (await isCaught(mutant, `mutant-${i}`)) caught += 1;
    }
  };
  // When one worker fails, the others finish their mutants before the copies are removed.
  const ends = await Promise.allSettled(Array.from({ length: availableParallelism() }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  console.log(`${caught} of ${mutants.length} mutants caught`);
  return caught === mutants.length;
}

async function isCaught(mutant: Mutant, folder: string): Promise<boolean> {
  const startMs = performance.now();
  const copy = await makeCopy(folder);
  await mutate(copy, mutant);
  const verdict = await judge(copy);
  const caught = verdict === "fails" || verdict === "hangs";
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
  const what = caught ? `caught    ${mutant.name}` : `SURVIVES  ${mutant.name} (${verdict}): ${mutant.why}`;
  console.log(`${what}  [${mutant.file}, ${seconds} s]`);
  return caught;
}

try {
  process.exitCode = (await run(process.argv[2] ?? "")) ? 0 : 1;
} finally {
  await removeCopies();
}
