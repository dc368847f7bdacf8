import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Limit } from "../../../../src/core/limits/limit.ts";
import type { Taken } from "../../../../src/core/taken.ts";
import type { Verb } from "../../../../src/core/verbs.ts";
import { isNamedByMoment } from "../../../../src/stores/redis/script/algorithms.ts";
import type { TransactionOutcome } from "../../../../src/stores/redis/script/decode-reply.ts";
import {
  denseFixedWindowSpec,
  denseSlidingWindowSpec,
  largeSlidingWindowSpec,
  plainTokenBucketSpec,
  tokenBucketSpec,
} from "../../../properties/limit-arbitrary.ts";
import {
  KernelKey,
  type ReceiptTrace,
  receiptSteps,
  traceOf,
  traceOfPlaces,
} from "../../../properties/receipt-traces.ts";
import { call, encoded, type TimedTransaction } from "./kit/script-call.ts";
import { useScriptServer } from "./kit/script-server.ts";

const started = useScriptServer();
const TRACES = 150;
/** Calls of one script share decoded cells; the next script reads what they wrote. */
const CALLS_OF_A_SCRIPT = 7;

/** A key in the kernel's cells, whose calls are noted for the script. */
class NotedKey extends KernelKey {
  readonly transactions: TimedTransaction[] = [];
  readonly expected: unknown[] = [];
  readonly #plan;
  readonly #name: string;
  readonly #limit: Limit;

  constructor(limit: Limit, name: string) {
    super(limit);
    this.#limit = limit;
    this.#plan = encoded(limit);
    this.#name = name;
  }

  override apply(verb: Verb, cost: number, taken?: Pick<Taken, "untilUs">): boolean {
    const admitted = super.apply(verb, cost, taken);
    const [transaction] = [call(verb, this.#plan, this.#name, cost, { nowUs: this.nowUs[0]! })];
    this.transactions.push({ ...transaction, keys: transaction.keys.map((key) => ({ ...key, ...taken })) });
    const { used, waitUs, resetUs, untilUs } = this.report;
    const tells = (verb === "take" || verb === "renew") && admitted && cost > 0;
    // The kernels of windows leave it to the store to say when units leave.
    const until = tells ? (untilUs[0] ?? endOf(this.#limit, this.nowUs[0]!, resetUs[0]!)) : undefined;
    this.expected.push(verb === "refund" ? [verb] : [verb, used[0], waitUs[0], resetUs[0], until]);
    return admitted;
  }

  /** What the script says in place of the kernel. */
  async replay(): Promise<unknown[]> {
    const all: TransactionOutcome[] = [];
    for (let from = 0; from < this.transactions.length; from += CALLS_OF_A_SCRIPT) {
      const transactions = this.transactions.slice(from, from + CALLS_OF_A_SCRIPT);
      all.push(...((await started.server.run({ time: "transactions", transactions })) ?? []));
    }
    return all.map(({ admitted, reports: [report] }, i) => {
      const { verb, keys } = this.transactions[i]!;
      if (verb === "refund" || report === undefined) return [verb];
      const { used, waitUs, resetUs, untilUs } = report;
      const tells = (verb === "take" || verb === "renew") && admitted === 1 && keys[0]!.costs[0]! > 0;
      return [verb, used[0], waitUs[0], resetUs[0], tells ? untilUs[0] : undefined];
    });
  }
}

function endOf(limit: Limit, nowUs: number, resetUs: number): number | undefined {
  return isNamedByMoment(limit) ? nowUs + resetUs : undefined;
}

type MakeTrace = (keyOf: (limit: Limit) => KernelKey) => ReceiptTrace;

const spec = fc.oneof(
  tokenBucketSpec,
  plainTokenBucketSpec,
  denseFixedWindowSpec,
  denseSlidingWindowSpec,
  denseSlidingWindowSpec.map((one) => ({ ...one, resolutionUs: 0 })),
  largeSlidingWindowSpec,
);
const ofSpecs = spec.chain((one) =>
  fc.tuple(
    fc.constant<MakeTrace>((keyOf) => traceOf(one, keyOf)),
    receiptSteps(one.kind === "token-bucket" ? one.perUs : one.windowUs),
  ),
);
const ofPlaces = fc
  .tuple(fc.constantFrom(1, 2, 3, 8, 64, 65, 1_000), fc.constantFrom(1, 7, 999, 60_007))
  .chain(([max, ttlUs]) =>
    fc.tuple(
      fc.constant<MakeTrace>((keyOf) => traceOfPlaces(max, ttlUs, keyOf)),
      receiptSteps(ttlUs),
    ),
  );

describe("corrections by receipts in Redis", () => {
  it.each([
    ["buckets and windows", ofSpecs],
    ["limits on concurrency", ofPlaces],
  ])(`agree with the kernels in every figure: ${TRACES} traces of %s`, { timeout: 60_000 }, async (kind, traces) => {
    let number = 0;
    const property = fc.asyncProperty(traces, async ([makeTrace, steps]) => {
      number += 1;
      const keys: NotedKey[] = [];
      const trace = makeTrace((limit) => {
        const key = new NotedKey(limit, `${kind} ${number}`);
        keys.push(key);
        return key;
      });
      // Without figures between them, and with clocks that do not go back: the server removes idle keys.
      trace.play(steps.map((step) => ({ ...step, waitUs: Math.abs(step.waitUs) })));
      for (const key of keys) expect(await key.replay()).toEqual(key.expected);
    });
    await fc.assert(property, { numRuns: TRACES });
  });
});
