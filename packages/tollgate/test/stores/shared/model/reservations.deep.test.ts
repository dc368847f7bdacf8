import { expect, it, vi } from "vitest";
import { ResetLog } from "../../../../src/stores/shared/reset-log.ts";
import {
  ALL_RANDOM_RUNS,
  checkEveryInterleaving,
  checkRandomInterleavings,
  TIMEOUT_MS,
} from "./check-interleavings.ts";
import { exploreAtRandom } from "./explore-at-random.ts";
import { FORGOTTEN_PLACES, RESERVATIONS } from "./scenarios-reservations.ts";

checkEveryInterleaving([...RESERVATIONS, FORGOTTEN_PLACES]);
checkRandomInterleavings(RESERVATIONS, ALL_RANDOM_RUNS);

it.each([
  ["no reset", false],
  ["a reset before each", true],
])("the exploration finds corrections that see %s", { timeout: TIMEOUT_MS }, (_what, wasReset) => {
  vi.spyOn(ResetLog.prototype, "hasReset").mockReturnValue(wasReset);
  expect(() => exploreAtRandom(FORGOTTEN_PLACES, 3_000, 1)).toThrow("expected a history that sequential calls");
});
