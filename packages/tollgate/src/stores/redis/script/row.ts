import type { Limit } from "../../../core/limits/limit.ts";
import { countsNameIn, type Plan } from "../../../core/plan.ts";
import { digest } from "../digest.ts";
import { scriptAlgorithmOf } from "./algorithms.ts";

/** The first byte of every value: the script refuses values of another version. */
export const ROW_VERSION = 1;
/** The first word of every kept receipt: the script refuses receipts of another format. */
export const RECEIPT_FORMAT = "r1";

/** What of a plan identifies its counts. */
type Counting = Pick<Plan, "id" | "onChange">;

/** Ends the description of a limit in a row of one list: the first group of limits that are idle together. */
export const FIRST_GROUP = "0";

/** 30 bits: a hundred counts of one limiter collide with a probability of 1 in 200,000. */
const NAME_LENGTH = 5;
const NAME_BYTES = 4;
/** Numbers are written in 64 characters from here on. */
const FIRST_CHARACTER = 48;
/** Most numbers are a few thousands or millions, and most times a few seconds or hours in microseconds. */
export const NUMBER_MULTIPLES: readonly number[] = [1, 1_000, 1_000_000, 3_600_000_000];

/** The identity of a list of limits that counts separately. */
export function listId({ id }: Counting): string {
  return digest(`\n${id}`, 6);
}

/**
 * A limit as rows describe it: the identity of its counts, its kind, and its numbers. Counts of a plan that counts
 * separately have an identity of their own.
 */
export function describeLimit(limit: Limit, counting: Counting): string {
  const { kind, numbers } = scriptAlgorithmOf(limit).describe(limit);
  return digest(countsNameIn(counting, limit), NAME_BYTES).slice(0, NAME_LENGTH) + kind + numbers.map(encode).join("");
}

/**
 * Characters of 6 bits, of which the highest says that another one follows. The first says in 2 bits of what the number
 * is a multiple, and has 3 bits of the rest, the others 5 bits.
 */
function encode(number: number): string {
  const multiple = NUMBER_MULTIPLES.findLastIndex((one) => number % one === 0 && (number > 0 || one === 1));
  const value = number / NUMBER_MULTIPLES[multiple]!;
  let rest = Math.floor(value / 8);
  let text = character(multiple * 8 + (value % 8), rest > 0);
  while (rest > 0) {
    const next = Math.floor(rest / 32);
    text += character(rest % 32, next > 0);
    rest = next;
  }
  return text;
}

function character(bits: number, isFollowed: boolean): string {
  return String.fromCharCode(FIRST_CHARACTER + bits + (isFollowed ? 32 : 0));
}
