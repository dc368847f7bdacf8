import { checkFunction } from "../../core/checks.ts";
import { show, TollgateError } from "../../core/errors.ts";
import type { HttpFacts } from "../facts.ts";
import type { KeyOf } from "./key-of.ts";

/** The parts of a key, in a list of their own. */
export function checkParts(option: string, parts: readonly KeyOf[]): readonly KeyOf[] {
  if (parts.length === 0) {
    throw new TollgateError("ERR_OPTION", `${option}: expected at least one function such as clientIp(), got none`);
  }
  for (const part of parts) checkFunction(option, part, "functions such as clientIp()");
  return [...parts];
}

/** @throws TollgateError `ERR_KEY` when the part is somebody's own function and returns no string. */
export function partOf(option: string, part: KeyOf, facts: HttpFacts): string {
  const key: unknown = part(facts);
  if (typeof key === "string") return key;
  throw new TollgateError("ERR_KEY", `${option}: expected parts that return strings, got ${show(key)}`);
}
