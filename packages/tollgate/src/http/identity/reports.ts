import type { Address } from "./address.ts";
import { nodeAddress } from "./node-address.ts";
import type { ReportForm } from "./report-form.ts";

/** What is further left is not looked at: entries, and characters. */
const MOST_ENTRIES = 100;
const MOST_CHARACTERS = 8_192;

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

  /** `undefined` where there is none, or where what there is is no address: nobody knows what is further left then. */
  next(): Address | undefined {
    if (this.#end < 0 || this.#entriesLeft === 0) return undefined;
    const start = this.#form.startOfLast(this.#value, this.#end);
    if (start === 0 && this.#isCut) return undefined;
    const node = this.#form.nodeOf(this.#value.slice(start, this.#end));
    this.#end = start - 1;
    this.#entriesLeft -= 1;
    return node === undefined ? undefined : nodeAddress(node);
  }
}
