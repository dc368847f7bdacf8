import type { ThreadMemory } from "../../../core/lease-area.ts";
import { CLAIM_AT, wrappedMs } from "./layout.ts";

/** After this time another thread may ask: the one that claimed it may be dead, or waits for a server that is gone. */
const CLAIM_MS = 200;

/** One thread at a time asks the server for a key. If two do, they hold two leases: correct, but a wasted request. */
export class AskClaim {
  readonly #memory: ThreadMemory;
  /** The thread's number, above 0. */
  readonly #thread: number;

  constructor(memory: ThreadMemory, thread: number) {
    this.#memory = memory;
    this.#thread = thread;
  }

  /** Claims it for this thread. False while another thread has it. */
  take(key: number, us: number): boolean {
    const { words, atomics } = this.#memory;
    const at = key + CLAIM_AT;
    const [endsMs, thread] = [atomics.load(words, at), atomics.load(words, at + 1)];
    const nowMs = wrappedMs(us);
    const restMs = (endsMs - nowMs) | 0;
    if (thread !== 0 && thread !== this.#thread && restMs > 0 && restMs <= CLAIM_MS) return false;
    return this.#memory.swap(at, endsMs, thread, (nowMs + CLAIM_MS) | 0, this.#thread);
  }

  /** Ends the claim of this thread, unless another thread has taken over. */
  release(key: number): void {
    const { words, atomics } = this.#memory;
    const at = key + CLAIM_AT;
    const endsMs = atomics.load(words, at);
    if (atomics.load(words, at + 1) === this.#thread) this.#memory.swap(at, endsMs, this.#thread, 0, 0);
  }
}
