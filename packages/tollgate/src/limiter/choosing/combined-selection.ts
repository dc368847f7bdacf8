import { TollgateError } from "../../core/errors.ts";
import { all } from "../../core/maybe-async.ts";
import type { Watch } from "../watching/watch.ts";
import type { Owner } from "./owner.ts";
import { Selected } from "./selected.ts";
import type { FixedSelection, Selection } from "./selection.ts";
import type { Space } from "./space.ts";

/** Several selections as one: a combination. */
export class CombinedSelection<Input> implements Selection<Input> {
  readonly fixed: FixedSelection<Input> | undefined = undefined;
  readonly #parts: readonly Selection<Input>[];
  readonly #watch: Watch;

  constructor(parts: readonly Selection<Input>[], watch: Watch) {
    this.#parts = parts;
    this.#watch = watch;
  }

  get owners(): readonly Owner[] {
    return this.#parts.flatMap(({ owners }) => owners);
  }

  select(input: Input, into: Selected): void | Promise<void> {
    const from = into.keys.length;
    for (let i = 0; i < this.#parts.length; i += 1) {
      const selecting = this.#parts[i]!.select(input, into);
      if (selecting !== undefined) return this.#selectLater(input, into, from, i, selecting);
    }
    this.#addWatch(into, from);
  }

  selectKey(): never {
    throw new TollgateError("ERR_COMBINE", "byKey: expected one limiter, got a combination; ask each of its limiters");
  }

  spaces(): readonly Space[] {
    return this.#parts.flatMap((part) => part.spaces());
  }

  release(): void {
    for (const part of this.#parts) part.release();
  }

  /** Looks up at once what the parts need, and adds what they find in their order. The first look-up is under way. */
  async #selectLater(
    input: Input,
    into: Selected,
    from: number,
    first: number,
    selecting: Promise<void>,
  ): Promise<void> {
    const others = this.#parts.slice(first + 1).map((part) => ({ own: new Selected(), part }));
    await all([selecting, ...others.map(({ part, own }) => part.select(input, own))]);
    for (const { own } of others) into.addAll(own);
    this.#addWatch(into, from);
  }

  #addWatch(into: Selected, from: number): void {
    if (this.#watch.seesCalls) into.watches = [...into.watches, { watch: this.#watch, from, until: into.keys.length }];
  }
}
