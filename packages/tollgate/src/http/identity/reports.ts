import type { Address } from "./address.ts";
import { nodeAddress } from "./node-address.ts";
import type { ReportForm } from "./report-form.ts";
import { trimmed } from "./white-space.ts";

/** What is further left is not looked at: entries, and characters. */
const MOST_ENTRIES = 100;
const MOST_CHARACTERS = 8_192;

/**
 * What a hop says of the one before it: its address, nothing, because the header ends there, or something that is no address, so
 * that nobody knows what is further left.
 */
export type Report = Address | "none" | "unreadable";

/** The addresses in a header, from the right: what the nearest hop reports, what the one before it reported, and so on. */
export class Reports {
  readonly #form: ReportForm;
  readonly #value: string;
  /** Where the first entry begins in the middle: what is left of it is not its whole. */
  readonly #isCut: boolean;
  #end: number;
  #entriesLeft: number = MOST_ENTRIES;

  constructor(value: string, form: ReportForm) {
    this.#form = form;
    this.#isCut = value.length > MOST_CHARACTERS;
    this.#value = this.#isCut ? value.slice(-MOST_CHARACTERS) : value;
    this.#end = this.#value.length;
  }

  /** An empty entry is no address either: what is further left may be the client's own word. */
  next(): Report {
    if (this.#end < 0) return "none";
    if (this.#entriesLeft === 0) return "unreadable";
    const start = this.#form.startOfLast(this.#value, this.#end);
    if (start === 0 && this.#isCut) return "unreadable";
    const node = this.#form.nodeOf(trimmed(this.#value.slice(start, this.#end)));
    this.#end = start - 1;
    this.#entriesLeft -= 1;
    return (node === undefined ? undefined : nodeAddress(node)) ?? "unreadable";
  }
}
