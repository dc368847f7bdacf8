import { algorithmOf } from "../../../algorithms/compile-limit.ts";
import type { Limit } from "../../../core/limits/limit.ts";
import type { Plan } from "../../../core/plan.ts";
import { CancelFlag, RUN } from "../clients/cancel-flag.ts";
import type { RedisPort } from "../clients/redis-port.ts";
import { translateError } from "../failure/translate-error.ts";
import { withTimeout } from "../failure/with-timeout.ts";
import { type EncodedPlan, encodePlan } from "../script/encode-plan.ts";
import { isLayoutId, limitId, UNION } from "../script/layout.ts";
import type { LayoutTexts } from "../script/other-layouts.ts";
import type { ScriptTransaction } from "../script/transaction.ts";
import { readPlan, writeLimits } from "./limit-text.ts";

/** The most layouts that a store remembers. */
const MOST_KNOWN = 4_096;
/** How often a layout in use is noted again, in case the server lost it. */
const NOTE_EVERY_MS = 600_000;
/** When it is noted again if that failed. */
const NOTE_AGAIN_MS = 10_000;
/** The pauses after which a description that was not found is read again: it may be on its way. */
const LOOK_AGAIN_MS = [10, 40];
const A_DAY_MS = 86_400_000;

interface RegistryOptions {
  readonly port: RedisPort;
  readonly prefix: string;
  /** How long a call may take now. */
  readonly timeoutMs: () => number;
}

/** What the store knows of a layout. */
interface Known {
  readonly plan: Plan;
  /** When it has to be noted again; 0 for a layout of other processes. */
  noteAtMs: number;
}

/**
 * The descriptions of layouts on the server, under `<prefix>:layouts:<layout>`. A process notes its layouts when it
 * writes the first value, and reads those of others when it meets one. A description never changes, so it is cached,
 * and it expires after the last value of its layout.
 */
export class LayoutRegistry {
  readonly #options: RegistryOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /**
   * Notes the layouts of calls on the server, so that other processes can read the values. The calls need not wait for
   * that: a process that finds no description looks again.
   */
  note(works: readonly ScriptTransaction[], nowMs: number): void {
    for (const { keys } of works) {
      for (const { plan } of keys) if (plan.noteAtMs <= nowMs) this.#note(plan, nowMs);
    }
  }

  /**
   * Describes layouts to the later calls of these works.
   *
   * @returns the layouts whose descriptions are lost.
   * @throws UnavailableError or TollgateError when the server cannot be asked.
   */
  async describe(works: readonly ScriptTransaction[], ids: readonly string[]): Promise<readonly string[]> {
    // The sections of a union describe themselves, to calls in the general form.
    const described = ids.filter((id) => id !== UNION);
    const found = await Promise.all(described.map(async (id) => [id, await this.#planOf(id)] as const));
    const plans = new Set(works.flatMap(({ keys }) => keys.map(({ plan }) => plan)));
    for (const { others, epoch } of plans) {
      const layouts = found.flatMap(([id, plan]): LayoutTexts[] =>
        plan === undefined ? [] : [{ id, limits: plan.limits, texts: encodePlan(plan, epoch).texts }],
      );
      others.meet(layouts);
    }
    return found.flatMap(([id, plan]) => (plan === undefined ? [id] : []));
  }

  #note(encoded: EncodedPlan, nowMs: number): void {
    const { head, plan } = encoded;
    const noted = this.#known.get(head)?.noteAtMs ?? 0;
    encoded.noteAtMs = Math.max(noted, nowMs + NOTE_AGAIN_MS);
    if (noted > nowMs) return;
    this.#remember(head, { plan, noteAtMs: nowMs + NOTE_AGAIN_MS });
    const noteLater = () => {
      encoded.noteAtMs = nowMs + NOTE_EVERY_MS;
      this.#remember(head, { plan, noteAtMs: encoded.noteAtMs });
    };
    // A server that cannot be asked, or that refuses to write, gets the note with a later call.
    void this.#write(head, plan).then(noteLater, () => undefined);
  }

  /** A section of a value names a limit alone, so each limit whose counts may carry over is a layout, too. */
  async #write(id: string, { limits, onChange }: Plan): Promise<void> {
    const isWhole = limits.length === 1 || onChange === "separate";
    const single = isWhole ? [] : limits.map((limit) => [limitId(limit), [limit]] as const);
    const keepMs = Math.ceil(2 * longestMs(limits)) + A_DAY_MS;
    const writes = [[id, limits] as const, ...single].map(([name, described]) =>
      this.#ask(name, "note", writeLimits(described), String(keepMs)),
    );
    await Promise.all(writes);
  }

  async #planOf(id: string): Promise<Plan | undefined> {
    const known = this.#known.get(id);
    if (known !== undefined) return known.plan;
    if (!isLayoutId(id)) return undefined;
    let plan = readPlan(id, await this.#ask(id, "read"));
    for (const ms of LOOK_AGAIN_MS) {
      if (plan !== undefined) break;
      await new Promise((resolve) => setTimeout(resolve, ms));
      plan = readPlan(id, await this.#ask(id, "read"));
    }
    if (plan !== undefined) this.#remember(id, { plan, noteAtMs: 0 });
    return plan;
  }

  #remember(id: string, known: Known): void {
    this.#known.delete(id);
    this.#known.set(id, known);
    if (this.#known.size <= MOST_KNOWN) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  #ask(id: string, form: "note" | "read", ...args: readonly string[]): Promise<readonly number[]> {
    const { port, prefix, timeoutMs } = this.#options;
    const cancelFlag = new CancelFlag(RUN);
    const asked = port.run({ keys: [`${prefix}:layouts:${id}`], args: ["", form, ...args], cancelFlag });
    return withTimeout(timeoutMs(), asked.catch(translateError), () => cancelFlag.cancel());
  }
}

/** How long a key may be in use after its last call, without debt. */
function longestMs(limits: readonly Limit[]): number {
  return Math.max(...limits.map((limit) => 1_000 * algorithmOf(limit).windowSeconds(limit) + idleTtlOf(limit)));
}

function idleTtlOf(limit: Limit): number {
  return "idleTtlMs" in limit ? limit.idleTtlMs : 0;
}
