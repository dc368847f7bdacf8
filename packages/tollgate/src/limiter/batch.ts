import type { Cost } from "../core/cost.ts";
import { type CheckedRequest, requestFor } from "./call.ts";
import { withoutPlaces } from "./places.ts";
import type { Selection } from "./selection.ts";
import type { PlannedSpace } from "./space-list.ts";

/** The requests of a batch: every input is checked before any is counted. */
export function batchOf<Input, Space extends PlannedSpace>(
  selection: Selection<Input, Space>,
  inputs: readonly Input[],
  cost: Cost,
): CheckedRequest<Space>[] {
  selection.maintain();
  return Array.from(inputs, (input) => withoutPlaces("allowMany", requestFor(selection, input, cost)));
}

/** Writes 1 or 0 for each request, and returns how many were admitted. */
export function decideEach<Request>(
  batch: readonly Request[],
  out: Uint8Array,
  decide: (request: Request) => boolean,
): number {
  let admitted = 0;
  for (const [i, request] of batch.entries()) {
    const allowed = decide(request);
    out[i] = allowed ? 1 : 0;
    if (allowed) admitted += 1;
  }
  return admitted;
}
