import { eventuallyTrue } from "../../servers/eventually.ts";
import type { Lane } from "./lane.ts";

/** The concurrent calls of each lane. */
const AT_ONCE = 20;

/**
 * Takes the rest of the tight limit, until the server has denied each lane. On a busy machine a circuit may be open
 * again.
 */
export async function drain(lanes: readonly Lane[]): Promise<void> {
  await Promise.all(
    lanes.map((lane) =>
      eventuallyTrue("a denial by the server", async () => {
        const calls = await Promise.all(Array.from({ length: AT_ONCE }, () => lane.consume("tight", "one")));
        return calls.some(({ admitted, degraded }) => !admitted && degraded === undefined);
      }),
    ),
  );
}
