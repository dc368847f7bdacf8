import { show, TollgateError } from "../core/errors.ts";
import { isPromise } from "./when-ready.ts";

/** It is told once for every limit. */
const MOST_CHARACTERS = 256;

/** @throws TollgateError `ERR_OPTION` when it is no text to be told as `pk`, nor `undefined`. */
export function checkPartition(partition: unknown): asserts partition is string | undefined {
  if (partition === undefined) return;
  if (typeof partition === "string" && partition.length <= MOST_CHARACTERS) return;
  // Refused whatever becomes of it: what it may fail with is nobody's business any more.
  if (isPromise(partition)) partition.then(undefined, () => {});
  const got = typeof partition === "string" ? `${partition.length} characters` : show(partition);
  throw new TollgateError(
    "ERR_OPTION",
    `partitionKey: expected a string of at most ${MOST_CHARACTERS} characters, or undefined, got ${got}`,
  );
}
