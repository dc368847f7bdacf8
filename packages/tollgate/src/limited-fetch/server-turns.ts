import { concurrency } from "../algorithms/limits/concurrency.ts";
import { type Clock, readUs } from "../core/clock.ts";
import { toMilliseconds } from "../core/duration.ts";
import { createLimiter } from "../limiter/create-limiter.ts";
import type { AsyncLimiter, Limiter } from "../limiter/limiter.ts";
import type { AsyncReservation } from "../limiter/reserving/reservation.ts";
import type { WaitOptions } from "../limiter/waiting/wait-options.ts";
import type { QuotaPolicy } from "./advertised.ts";
import { LearnedLimits } from "./learned-limits.ts";

/** So many inputs without calls under way are kept: those of which the most requests count. */
const MOST_INPUTS = 1_000;
/** With so many more, these are forgotten at once: for each request of a crawler, a look at all would take 3 ms. */
const SPARE_INPUTS = 100;

/** How long a call may still wait. */
type WaitLeft = () => WaitOptions & { readonly maxWait: number | undefined };

/**
 * Turns under what servers have said, as far as this process alone knows: the limits that they advertise, and blocks
 * that the user's limiter could not keep.
 */
export class ServerTurns {
  readonly #clock: Clock;
  readonly #inputs = new Map<string, LearnedLimits>();
  /** How many calls of an input wait or are in flight. */
  readonly #underWay = new Map<string, number>();
  /** Blocks an input until its server wants a request again. */
  readonly #pauses;
  /**
   * Lets one call of an input at a time ask under learned limits, first come, first served. The place of a call that
   * waits for longer than the `ttl` frees itself: then two calls ask in turn.
   */
  readonly #lines;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#pauses = createLimiter({ name: "server", key: (input: string) => input, limits: () => "unlimited", clock });
    this.#lines = createLimiter({ name: "server", limits: [concurrency({ max: 1, ttl: "1d" })], clock });
  }

  learn(input: string, policies: readonly QuotaPolicy[]): void {
    if (policies.length > 0) this.#noteInput(input).learn(policies);
  }

  async block(input: string, ms: number): Promise<void> {
    this.#noteInput(input);
    await extendBlock(this.#pauses, input, ms, this.#clock);
  }

  /** Without what was counted under learned limits, which would block it again. */
  unblock(input: string): boolean {
    this.#inputs.delete(input);
    return this.#pauses.unblock(input);
  }

  /** Does the work of a call. Meanwhile its input is not forgotten. */
  async during<T>(input: string, work: () => Promise<T>): Promise<T> {
    this.#underWay.set(input, (this.#underWay.get(input) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const others = (this.#underWay.get(input) ?? 1) - 1;
      if (others > 0) this.#underWay.set(input, others);
      else {
        this.#underWay.delete(input);
        this.#forgetSome();
      }
    }
  }

  /**
   * Waits until the user's limiter and the server's limits both have capacity at one moment. While the server's have
   * not, the call returns what it took from the limiter.
   */
  async wait(input: string, left: WaitLeft, acquire: () => Promise<AsyncReservation>): Promise<AsyncReservation> {
    let line: AsyncReservation | undefined;
    try {
      for (;;) {
        const learned = this.#inputs.get(input);
        if (learned?.isEmpty === false && line === undefined) {
          const { signal, maxWait } = left();
          // A call that may not wait still lets those before it ask: no call of the line waits longer than it may.
          line = await this.#lines.acquire(input, 1, { signal, maxWait: maxWait === 0 ? undefined : maxWait });
        }
        if (learned !== undefined) await this.#pauses.acquire(input, 0, left());
        const reservation = await acquire();
        const waitUs = this.#inputs.get(input)?.take(readUs(this.#clock)) ?? 0;
        if (waitUs === 0) return reservation;
        await reservation.cancel().catch(() => {});
        await extendBlock(this.#pauses, input, toMilliseconds(waitUs), this.#clock);
      }
    } finally {
      await line?.cancel();
    }
  }

  /** The limits of an input, which is now the one that was met last. */
  #noteInput(input: string): LearnedLimits {
    const known = this.#inputs.get(input) ?? new LearnedLimits();
    this.#inputs.delete(input);
    this.#inputs.set(input, known);
    this.#forgetSome();
    return known;
  }

  /** Where as many requests count, inputs that were met longest ago are forgotten first. */
  #forgetSome(): void {
    // With many calls in flight, looking through all inputs for each of them would be quadratic.
    if (this.#inputs.size - this.#underWay.size <= MOST_INPUTS + SPARE_INPUTS) return;
    const nowUs = readUs(this.#clock);
    const idle = [...this.#inputs]
      .filter(([input]) => !this.#underWay.has(input))
      .map(([input, limits]) => ({ input, used: limits.usedAt(nowUs) }))
      .sort((one, other) => one.used - other.used);
    for (const { input } of idle.slice(0, Math.max(0, idle.length - MOST_INPUTS))) {
      this.#inputs.delete(input);
      this.#pauses.unblock(input);
    }
  }
}

/** Blocks an input, unless it is blocked for longer already, such as by an operator. */
export async function extendBlock(
  limiter: Limiter | AsyncLimiter,
  input: string,
  ms: number,
  clock: Clock,
): Promise<void> {
  const until = await limiter.blockedUntil(input);
  if (until !== undefined && until >= clock.now() + ms) return;
  await limiter.block(input, ms, { reason: "the server asked for it" });
}
