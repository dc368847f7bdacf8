import type { TimeCell } from "../core/time-cell.ts";
import type { Kernel } from "./kernel.ts";

/**
 * Writes the cells of a key under another limit of the same name: what the key has used stays used, and debt stays
 * debt. Under an equal limit every cell stays, bit for bit; under another algorithm the units count as if they were
 * taken now.
 */
export function carryOver(
  kernel: Kernel,
  cells: Float64Array,
  at: number,
  now: TimeCell,
  from: Kernel,
  theirs: Float64Array,
  theirsAt: number,
): void {
  const { algorithm, fingerprint } = from.limit;
  if (fingerprint === kernel.limit.fingerprint) {
    for (let i = 0; i < kernel.size; i += 1) cells[at + i] = theirs[theirsAt + i]!;
    kernel.rebase(cells, at, from);
  } else if (algorithm === kernel.limit.algorithm) kernel.adoptFrom(cells, at, now, from, theirs, theirsAt);
  else kernel.adopt(cells, at, now, from.used(theirs, theirsAt, now));
}
