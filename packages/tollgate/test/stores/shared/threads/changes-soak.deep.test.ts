import { it } from "vitest";
import { bucket, wide } from "./plans.ts";
import { expectAnswers, type Soak, soak } from "./soak.ts";

/** This many workers have to die while they move a key. TOLLGATE_DEATHS sets another number. */
const DEATHS_IN_MOVES = Number(process.env["TOLLGATE_DEATHS"] ?? 3);
/** On a busy machine few die within a move, so that many deaths are enough, too. */
const DEATHS = 40 * DEATHS_IN_MOVES;
const CAPACITY = 1_000_000;

it.each([
  { name: "one cell a key", versions: [bucket(CAPACITY), bucket(CAPACITY + 1), bucket(CAPACITY + 2)] },
  { name: "many cells a key", versions: [wide(CAPACITY), wide(CAPACITY + 1)] },
])("workers that are terminated while keys move neither lose nor double a count: $name", async ({ versions }) => {
  const isEnough = ({ deaths, deathsInMoves }: Soak) => deathsInMoves >= DEATHS_IN_MOVES || deaths >= DEATHS;
  expectAnswers(await soak(versions, isEnough));
});
