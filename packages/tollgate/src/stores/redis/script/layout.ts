import type { Limit } from "../../../core/limits/limit.ts";
import { countsName, identityOf, type Plan } from "../../../core/plan.ts";
import { digest } from "../digest.ts";

/** The head of a value with sections of several layouts, or with a block. No digest has a dot. */
export const UNION = "........";
/** The identity and the name of the section with a key's block. */
export const BLOCK = ".block..";
/** The identity of a section with the leases of a limit. */
export const LEASE = ".lease..";
/** The most leases of a key at a time: as many as a thousand nodes hold. */
export const MOST_LEASES = 4_096;
/** Begins a reply that names what the script was not told of: 8 numbers for each, the codes of its characters. */
export const NEEDS_LAYOUTS = -1000;
/** The script names so many in one reply. */
export const MOST_NEEDED = 32;

/** What of a plan identifies its counts. */
type Counting = Pick<Plan, "id" | "onChange">;

/** 8 characters: a thousand layouts of one limiter collide with a probability of 1 in 10^9. */
const DIGEST_BYTES = 6;
const ID_LENGTH = 8;
const ID = /^[\w-]{8}$/;

/**
 * The identity of a plan's list of limits: the first 8 bytes of the values that have its cells. Separate counts have
 * another one than counts that carry over. No id begins with an empty line.
 */
export function layoutId({ id, onChange }: Counting): string {
  return digest(onChange === "separate" ? `\n${id}` : id, DIGEST_BYTES);
}

/** The identity of a limit's numbers, which is that of a list with this limit alone. */
export function limitId(limit: Limit): string {
  return digest(identityOf(limit), DIGEST_BYTES);
}

/** The identity of a limit's counts. Those of a plan with separate counts have an identity of their own. */
export function nameId(limit: Limit, { id, onChange }: Counting): string {
  const own = onChange === "separate" ? `\n${id}` : "";
  return digest(`${countsName(limit)}${own}`, DIGEST_BYTES);
}

/** Whether some version of the library can have made it. */
export function isLayoutId(text: string): boolean {
  return ID.test(text);
}

/** What the script has to be told of before it can decide; `undefined` if it decided. */
export function neededLayouts(reply: readonly number[]): readonly string[] | undefined {
  if (reply[0] !== NEEDS_LAYOUTS) return undefined;
  const ids: string[] = [];
  for (let at = 1; at < reply.length; at += ID_LENGTH) {
    ids.push(String.fromCharCode(...reply.slice(at, at + ID_LENGTH)));
  }
  return ids;
}
