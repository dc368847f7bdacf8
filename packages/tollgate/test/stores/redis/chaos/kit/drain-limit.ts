import type { Lane } from "./lane.ts";

/** The concurrent calls of each lane. */
const AT_ONCE = 20;
/** Enough rounds if the server replies. */
const MOST_ROUNDS = 100;

/** Takes the rest of the tight limit, until the server has denied each lane. */
export async function drain(lanes: readonly Lane[]): Promise<void> {
  await Promise.all(
    lanes.map(async (lane) => {
      for (let round = 0; round < MOST_ROUNDS; round += 1) {
        const calls = await Promise.all(Array.from({ length: AT_ONCE }, () => lane.consume("tight", "one")));
        if (calls.some(({ admitted, degraded }) => !admitted && degraded === undefined)) return;
      }
    }),
  );
}
