import { notify } from "../../../core/observer.ts";
import type { SentBatch } from "../../../core/store-readings.ts";
import { monotonicMs, toWallMs } from "../event-loop.ts";
import type { Work } from "./work.ts";

type Watch = (batch: SentBatch) => void;

/** Those that are called back when a call of the script has ended. They come and go. */
export class BatchWatches {
  #watches: readonly Watch[] = [];

  /** Returns a function that removes it. */
  add(watch: Watch): () => void {
    const added: Watch = (batch) => watch(batch);
    this.#watches = [...this.#watches, added];
    return () => {
      this.#watches = this.#watches.filter((one) => one !== added);
    };
  }

  /** `failure` says why it failed, if it did. */
  ended(works: readonly Work[], sentAtMs: number, failure: string | undefined): void {
    if (this.#watches.length === 0) return;
    const batch: SentBatch = {
      calls: works.reduce((total, { times }) => total + times, 0),
      keys: new Set(works.flatMap(({ keys }) => keys.map(({ name }) => name))).size,
      sentAtMs: toWallMs(sentAtMs),
      durationMs: monotonicMs() - sentAtMs,
      failure,
    };
    for (const watch of this.#watches) notify(watch, batch);
  }
}
