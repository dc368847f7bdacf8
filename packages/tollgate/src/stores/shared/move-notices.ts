import type { LimiterContext } from "../../core/store.ts";
import type { Move } from "./key-moves.ts";

/** Tells observers of the keys that a call has moved. They may call limiters, so they are told after the call. */
export class MoveNotices {
  /** The moves of the current call. */
  readonly moved: Move[] = [];
  readonly #context: LimiterContext;
  readonly #notices: (() => void)[] = [];

  constructor(context: LimiterContext) {
    this.#context = context;
  }

  /** The current call was about this key. */
  note(key: string): void {
    const moved = this.moved.splice(0);
    if (this.#context.onMove === undefined) return;
    for (const { from, to } of moved) this.#notices.push(() => this.#context.onMove?.(key, from, to));
  }

  tell(): void {
    if (this.#notices.length > 0) for (const notify of this.#notices.splice(0)) notify();
  }
}
