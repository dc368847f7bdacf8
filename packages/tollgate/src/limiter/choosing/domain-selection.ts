import { TollgateError } from "../../core/errors.ts";
import { decodeKey } from "../../core/key.ts";
import type { Watch } from "../watching/watch.ts";
import type { Owner } from "./owner.ts";
import type { Pricing } from "./pricing.ts";
import type { Selected } from "./selected.ts";
import type { FixedSelection, Selection } from "./selection.ts";
import type { Space } from "./space.ts";

/** The selections that count an input together, and what a call costs in them. */
export interface Way<Found> {
  readonly selections: readonly Selection<Found>[];
  readonly pricing: Pricing<Found>;
}

/** Chooses for each input which limiters count it, such as the rules of a domain. */
export interface Chooser<Input, Found> {
  readonly name: string;
  /** What it looks at in an input. */
  read(input: Input): Found;
  wayOf(found: Found): Way<Found>;
  /** All selections that it may choose, each once. */
  selections(): readonly Selection<Found>[];
  /** Those of them that calls have needed. */
  usedSelections(): readonly Selection<Found>[];
}

/** Selects what a chooser chooses: a domain. */
export class DomainSelection<Input, Found> implements Selection<Input> {
  readonly fixed: FixedSelection<Input> | undefined = undefined;
  readonly #chooser: Chooser<Input, Found>;
  readonly #watch: Watch;

  constructor(chooser: Chooser<Input, Found>, watch: Watch) {
    this.#chooser = chooser;
    this.#watch = watch;
  }

  get owners(): readonly Owner[] {
    return this.#chooser.usedSelections().flatMap(({ owners }) => owners);
  }

  select(input: Input, into: Selected): void {
    const found = this.#chooser.read(input);
    this.selectFound(found, this.#chooser.wayOf(found), into);
  }

  /** Works like `select`, for an input whose way is known. */
  selectFound(found: Found, { selections, pricing }: Way<Found>, into: Selected): void {
    const from = into.keys.length;
    for (const selection of selections) void selection.select(found, into);
    const keys = into.keys.length - from;
    into.prices = [...into.prices, { pricing, input: found, keys }];
    // The watch of each rule tells that of the domain.
    if (keys === 0 && this.#watch.seesCalls)
      into.watches = [...into.watches, { watch: this.#watch, from, until: from }];
  }

  selectKey(): never {
    throw new TollgateError(
      "ERR_COMBINE",
      `byKey: expected a limiter with one key, got ${JSON.stringify(this.#chooser.name)}, whose rules have their own; ` +
        "ask byKey(domain, rule, key) of the limits",
    );
  }

  selectKeyOf(limiter: string, encoded: string, into: Selected): void {
    const selection = this.#chooser.usedSelections().find(({ owners }) => owners[0]?.name === limiter);
    const key = decodeKey(encoded);
    if (key !== undefined) selection?.selectKey(key, undefined, into);
  }

  spaces(): readonly Space[] {
    return this.#chooser.selections().flatMap((selection) => selection.spaces());
  }

  release(): void {
    for (const selection of this.#chooser.usedSelections()) selection.release();
  }
}
