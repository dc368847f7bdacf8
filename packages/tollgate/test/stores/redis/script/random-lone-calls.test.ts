import { beforeAll, describe, expect, it } from "vitest";
import { decodeReply, type TransactionOutcome } from "../../../../src/stores/redis/script/decode-reply.ts";
import { encodeCall } from "../../../../src/stores/redis/script/encode-call.ts";
import type { EncodedPlan } from "../../../../src/stores/redis/script/encode-plan.ts";
import { SCRIPT } from "../../../../src/stores/redis/script/source.generated.ts";
import type { ScriptTransaction, ScriptVerb } from "../../../../src/stores/redis/script/transaction.ts";
import { type LimitSpec, libraryLimit } from "../../../properties/limit-spec.ts";
import { textOf } from "../servers/resp.ts";
import { outcomeDifferences } from "./kit/compare-outcomes.ts";
import { EXACT_BUCKETS } from "./kit/limit-pool.ts";
import { Random } from "./kit/random.ts";
import { call, encodedAs } from "./kit/script-call.ts";
import { numbersIn } from "./kit/script-connection.ts";
import { useScriptServer } from "./kit/script-server.ts";

const started = useScriptServer();
const TRACES = 60;
const CALLS = 40;
/** In 2032, so that no key expires meanwhile. */
const BEGIN_US = 1_956_528_000_123_456;

/** The last argument is the server's time, so that two calls are at the same instant. */
const AT_ITS_LAST_ARGUMENT = `
local at, server = table.remove(ARGV), redis
local redis = { pcall = server.pcall, call = function(name, ...)
  if name == 'TIME' then return { string.sub(at, 1, -7), string.sub(at, -6) } end
  return server.call(name, ...)
end }
${SCRIPT}`;

let sha = "";

async function outcomesAt(nowUs: number, transaction: ScriptTransaction): Promise<readonly TransactionOutcome[]> {
  const encoded = encodeCall({ transactions: [transaction] });
  const command = ["EVALSHA", sha, String(encoded.keys.length), ...encoded.keys, "1", ...encoded.args, String(nowUs)];
  return decodeReply(numbersIn(textOf(await started.server.raw(...command))), [transaction]) ?? [];
}

/** The plan without the fast form, of which it has one bucket. */
function inGeneral(plan: EncodedPlan): EncodedPlan {
  const description = plan.text.split(" ")[1]!;
  return { ...plan, isFast: false, text: ` 0 ${description} 1 0` };
}

async function storedUnder(name: string): Promise<unknown[]> {
  return Promise.all(["GET", "PEXPIRETIME"].map((command) => started.server.raw(command, name)));
}

/** Plays calls of one limit on two keys, of which one is decided by the general form. */
class Twins {
  readonly #random: Random;
  readonly #lone: EncodedPlan;
  readonly #general: EncodedPlan;
  readonly #capacity: number;
  readonly #name: string;
  #nowUs = BEGIN_US;
  /** Figures of the last report. */
  #steps: readonly number[] = [1];
  /** How many calls were answered in which form. */
  readonly forms = { answer: 0, figures: 0 };

  constructor(spec: LimitSpec, seed: number) {
    this.#random = new Random(seed);
    const limit = libraryLimit(spec, "limit");
    this.#lone = encodedAs(seed % 2 === 0 ? "carry-over" : "separate", limit);
    this.#general = inGeneral(this.#lone);
    this.#capacity = limit.capacity;
    this.#name = `${spec.kind} ${seed}`;
  }

  /** What one call gave, and what it should have given. */
  async play(): Promise<{ got: unknown; expected: unknown }> {
    this.#nowUs += this.#step();
    const verb = this.#random.weighted<ScriptVerb>({ take: 10, charge: 1, refund: 1 });
    const detail = this.#random.of(["each", "first-denied"] as const);
    const cost = this.#random.chance(0.5) ? 1 : this.#random.between(1, Math.min(this.#capacity + 1, 10 ** 9));
    const [lone, general] = [`lone ${this.#name}`, `general ${this.#name}`];
    if (this.#random.chance(0.05)) {
      const block = { end: { untilUs: this.#nowUs + this.#random.magnitude(23) }, reason: undefined };
      for (const name of [lone, general]) {
        await outcomesAt(this.#nowUs, call("block", this.#lone, name, 0, { block }));
      }
    }
    const asked = call(verb, this.#lone, lone, cost, { detail });
    const got = await outcomesAt(this.#nowUs, asked);
    const expected = await outcomesAt(this.#nowUs, call(verb, this.#general, general, cost, { detail }));
    if (verb === "take" && got[0]!.admitted > 0) this.forms[detail === "each" ? "figures" : "answer"] += 1;
    const report = expected[0]!.reports[0];
    if (report !== undefined) this.#steps = [report.waitUs[0]!, report.resetUs[0]!].filter(Number.isFinite);
    return {
      got: { differences: outcomeDifferences(got, expected), stored: await storedUnder(lone) },
      expected: { differences: [], stored: await storedUnder(general) },
    };
  }

  /** Mostly to a moment at which figures change, or beside it. */
  #step(): number {
    const random = this.#random;
    const step = random.of(this.#steps) + random.of([-1, 0, 0, 1]);
    return random.chance(0.5) ? step : random.of([0, 1, random.between(0, Math.max(1, step)), -random.between(0, 5)]);
  }
}

describe("the fast form of buckets", () => {
  beforeAll(async () => {
    sha = String(await started.server.command("SCRIPT", "LOAD", AT_ITS_LAST_ARGUMENT));
  });

  it("buckets decide, report and write as the general form does, to the bit", async () => {
    const forms = { answer: 0, figures: 0 };
    for (let seed = 0; seed < TRACES; seed += 1) {
      const twins = new Twins(new Random(seed).of(EXACT_BUCKETS), seed);
      for (let i = 0; i < CALLS; i += 1) {
        const { got, expected } = await twins.play();
        expect(got).toEqual(expected);
      }
      forms.answer += twins.forms.answer;
      forms.figures += twins.forms.figures;
    }
    expect(Math.min(forms.answer, forms.figures)).toBeGreaterThan(TRACES);
  });
});
