import { tokenBucket } from "../../../../../src/index.ts";
import { LEASES_OF_HOLDER, type LeaseAsk } from "../../../../../src/stores/redis/script/lease.ts";
import { Random } from "../../script/kit/random.ts";
import { call, encoded, NOW_US } from "../../script/kit/script-call.ts";
import type { ScriptServer } from "../../script/kit/script-server.ts";
import { LeaseModel, type ModelReport } from "./lease-model.ts";

/** Random calls of one key, decided by the script and by the model. */
export class LeaseTrace {
  /** What the script and the model do not agree on, in words. */
  readonly differences: string[] = [];
  readonly #server: ScriptServer;
  readonly #random: Random;
  readonly #name: string;
  readonly #capacity: number;
  readonly #plan: ReturnType<typeof encoded>;
  #model: LeaseModel;
  readonly #ttlUs: number;
  #nowUs = NOW_US;
  #writtenUs = NOW_US;
  #number = 0;
  #isRefunded = false;
  readonly #known: { endsUs: number; number: number; holder: number; units: number }[] = [];

  constructor(server: ScriptServer, seed: number) {
    this.#server = server;
    this.#random = new Random(seed);
    this.#name = `trace ${seed}`;
    this.#capacity = this.#random.between(1, 200);
    const refill = this.#random.between(1, 300);
    const perUs = refill * this.#random.between(1_000_000, 100_000_000);
    this.#plan = encoded(tokenBucket({ capacity: this.#capacity, refill, per: perUs / 1_000 }));
    this.#model = new LeaseModel(this.#capacity, refill, perUs, NOW_US);
    this.#ttlUs = Math.ceil((this.#capacity / refill) * perUs * this.#random.between(1, 15) * 0.1);
  }

  async step(): Promise<void> {
    this.#nowUs += this.#random.between(0, 3) === 0 ? 0 : this.#random.between(0, this.#ttlUs);
    const roll = this.#random.between(0, 9);
    if (roll < 6) await this.#lease();
    else if (roll < 9) await this.#strict("take");
    else await this.#strict("refund");
  }

  async #strict(verb: "take" | "refund"): Promise<void> {
    const cost = this.#random.between(1, Math.max(1, Math.floor(this.#capacity / 3)));
    const before = this.#model.copy();
    this.#model.advance(this.#nowUs);
    const taken = verb === "take" ? this.#model.take(cost, 1) : 1;
    if (verb === "refund") {
      this.#model.refund(cost);
      this.#isRefunded = true;
    }
    const [outcome] = (await this.#run(verb, cost)) ?? [];
    this.#compare("admitted", outcome?.admitted, taken);
    if (verb === "take") this.#compare("used", outcome?.reports[0]?.used[0], this.#model.used);
    if (taken > 0) this.#writtenUs = this.#nowUs;
    else this.#model = before;
  }

  async #lease(): Promise<void> {
    const holder = this.#random.between(1, 3);
    const own = this.#known.filter((lease) => lease.holder === holder);
    const reports: ModelReport[] = [];
    for (const lease of own) {
      if (this.#random.between(0, 1) === 0) continue;
      const left = this.#random.between(0, lease.units);
      const isReturned = this.#random.between(0, 2) === 0;
      reports.push({ endsUs: lease.endsUs, number: lease.number, isReturned, left });
      // Duplicates and late reports say more than the script knows.
      if (this.#random.between(0, 2) > 0) lease.units = isReturned ? 0 : left;
    }
    const calls = this.#random.between(0, 3);
    const cost = this.#random.between(1, 4);
    const wanted = this.#random.between(0, 1) * this.#random.between(1, this.#capacity);
    // The script cannot tell that a refund came after the node was quiet: then less is admitted.
    const quietUs = this.#isRefunded ? 0 : this.#random.between(0, 1) * this.#random.between(0, this.#ttlUs);
    this.#isRefunded = false;
    this.#number += 1;
    const number = holder * LEASES_OF_HOLDER + this.#number;
    if (this.#nowUs - quietUs >= this.#writtenUs) this.#model.advance(this.#nowUs - quietUs);
    for (const one of reports) this.#model.report(one, this.#nowUs);
    this.#model.advance(this.#nowUs);
    this.#writtenUs = this.#nowUs;
    const admitted = this.#model.take(cost, calls);
    const nodes = this.#model.nodes(holder);
    const endsUs = this.#nowUs + this.#ttlUs;
    const isAsked = wanted > 0;
    const units = isAsked ? this.#model.grant(admitted < calls ? 0 : wanted, endsUs, number, holder) : 0;
    const lease = {
      calls,
      wanted: [wanted],
      ttlUs: this.#ttlUs,
      quietUs,
      number,
      reports: reports.map(({ left, ...one }) => ({ ...one, units: [left] })),
    };
    const [outcome] = (await this.#run("lease", cost, lease)) ?? [];
    this.#compare("admitted", outcome?.admitted, admitted);
    this.#compare("units", outcome?.grant?.units, [units]);
    this.#compare("nodes", outcome?.grant?.nodes, nodes);
    this.#compare("lastsUs", outcome?.grant?.lastsUs, units > 0 ? this.#ttlUs : 0);
    this.#compare("used", outcome?.reports[0]?.used[0], this.#model.used);
    if (units > 0) this.#known.push({ endsUs, number, holder, units });
  }

  #run(verb: "take" | "refund" | "lease", cost: number, lease?: LeaseAsk) {
    const options = { nowUs: this.#nowUs, ...(lease === undefined ? {} : { lease }) };
    return this.#server.run({
      time: "transactions",
      transactions: [call(verb, this.#plan, this.#name, cost, options)],
    });
  }

  #compare(what: string, got: unknown, expected: unknown): void {
    const [one, other] = [JSON.stringify(got), JSON.stringify(expected)];
    if (one !== other) this.differences.push(`${this.#name}: ${what}: got ${one}, expected ${other}`);
  }
}
