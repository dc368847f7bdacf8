import { show, TollgateError } from "../core/errors.ts";

/** @throws TollgateError `ERR_OPTION` when there is no list of inputs, or no room for their decisions. */
export function checkBatch(inputs: unknown, out: unknown): void {
  if (!Array.isArray(inputs)) {
    throw new TollgateError("ERR_OPTION", `allowMany: expected a list of inputs, got ${show(inputs)}`);
  }
  if (out instanceof Uint8Array && out.length >= inputs.length) return;
  const got = out instanceof Uint8Array ? `one of ${out.length}` : show(out);
  throw new TollgateError("ERR_OPTION", `allowMany: expected a Uint8Array of at least ${inputs.length}, got ${got}`);
}
