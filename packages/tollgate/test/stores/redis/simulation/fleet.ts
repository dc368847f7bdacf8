import { capacityOf, type LimitSpec } from "../../../properties/limit-spec.ts";
import { Random } from "../script/kit/random.ts";
import { NOW_US } from "../script/kit/script-call.ts";
import { type Back, Calls } from "./calls.ts";
import type { Flaw } from "./flaw.ts";
import type { Take } from "./history.ts";
import { BoundJudge, contradictionIn, ExactJudge, rulesOfList } from "./judge.ts";
import { changed, isLong, LONGEST_SHORT_US, listOf, refillUsOf, shortBucket } from "./sim-limits.ts";
import { SimNetwork } from "./sim-network.ts";
import { SimNode } from "./sim-node.ts";
import type { SimServer } from "./sim-server.ts";
import type { Timeline } from "./timeline.ts";
import { CALM, stormOf } from "./weather.ts";

const LONGEST_LEASE_US = 10_000_000;
/** Calls of calm weather are answered in this time. */
const CALM_US = 1_000_000;

/** Fleets of the Redis store ask for each call. In a storm anything goes wrong. */
type Kind = "redis" | "hybrid" | "redis storm" | "hybrid storm" | "hybrid ends";

/** One random fleet whose nodes share a key, and what happens to it. Equal seeds make equal fleets. */
export class Fleet {
  readonly #random: Random;
  readonly #timeline: Timeline;
  readonly #server: SimServer;
  readonly #network: SimNetwork;
  readonly #kind: Kind;
  /** The limits, before and after they change. */
  readonly #versions: readonly (readonly LimitSpec[])[];
  readonly #nodes: readonly SimNode[];
  /** Asks the server when all is over. */
  readonly #auditor: SimNode;
  readonly #calls: Calls;
  /** The time in which the fastest limit refills. */
  readonly #refillUs: number;
  readonly #isStorm: boolean;
  readonly #corrects: boolean;
  readonly #resets: boolean;
  readonly #endUs: number;
  /** When nothing more happens. */
  readonly lastUs: number;

  constructor(seed: number, timeline: Timeline, server: SimServer, flaw?: Flaw) {
    const random = new Random(seed);
    this.#random = random;
    this.#timeline = timeline;
    this.#server = server;
    const kinds = { redis: 3, hybrid: 3, "redis storm": 1, "hybrid storm": 4, "hybrid ends": 4 };
    this.#kind = random.weighted<Kind>(kinds);
    const isHybrid = this.#kind.startsWith("hybrid");
    const isAtEnds = this.#kind === "hybrid ends";
    const list =
      isAtEnds && random.chance(0.6) ? shortBucket(random) : listOf(random, !isHybrid || random.chance(0.05));
    this.#versions = !isAtEnds && random.chance(0.3) ? [list, changed(list, random.between(40, 100))] : [list];
    this.#refillUs = Math.min(LONGEST_SHORT_US, ...list.map(refillUsOf));
    this.#isStorm = this.#kind.endsWith("storm") || (isAtEnds && random.chance(0.4));
    this.#corrects = random.chance(isAtEnds ? 0.1 : 0.5);
    this.#resets = random.chance(isAtEnds ? 0.3 : 0.4);
    const lowersCounts = this.#corrects || this.#resets || this.#versions.length > 1;
    const weather = this.#isStorm ? stormOf(random, this.#refillUs, lowersCounts) : CALM;
    // Windows by the clock end at multiples of their length.
    this.#network = new SimNetwork(timeline, server, weather, this.#refillUs);
    this.#calls = new Calls(timeline, server, this.#versions);
    const name = `fleet-${seed}`;
    const nodeOf = (kind: "hybrid" | "redis", drift: number, rate: number) => {
      return new SimNode(timeline, this.#network, { name, kind, drift, rate }, list);
    };
    this.#nodes = Array.from({ length: random.between(1, 4) }, () => {
      const kind = isHybrid && !random.chance(0.1) ? "hybrid" : "redis";
      return nodeOf(kind, this.#kind === "redis" ? 0 : 0.005, flaw?.rate ?? 1);
    });
    this.#auditor = nodeOf("redis", 0, 1);
    this.#endUs = NOW_US + 4 * this.#refillUs;
    this.lastUs = this.#quietUs + CALM_US;
  }

  /** When all leases have ended, and all that comes back in seconds is back. */
  get #quietUs(): number {
    return this.#endUs + CALM_US + LONGEST_SHORT_US + LONGEST_LEASE_US;
  }

  /** Units that were admitted, and those of them that nodes spent from leases. */
  get units(): { readonly admitted: number; readonly leased: number } {
    const takes = this.#calls.history.filter((entry): entry is Take => entry.kind === "take" && entry.allowed);
    return {
      admitted: takes.reduce((sum, { units }) => sum + units[0]!, 0),
      leased: this.#nodes.reduce((sum, { spent }) => sum + spent, 0),
    };
  }

  /** What the history contradicts, in words. */
  get contradiction(): string | undefined {
    const rules = this.#versions.map(rulesOfList);
    const { history } = this.#calls;
    if (this.#kind === "redis") return contradictionIn(history, new ExactJudge(rules));
    const capacities = this.#versions.map(([first]) => capacityOf(first!));
    const most = rules[capacities.indexOf(Math.max(...capacities))]!;
    const isPlain = this.#kind === "hybrid" && !this.#resets && isLong(this.#versions[0]![0]!);
    return contradictionIn(history, new BoundJudge(most, isPlain));
  }

  plan(): void {
    const random = this.#random;
    if (this.#kind === "hybrid ends") this.#planBursts();
    else this.#planLoad();
    if (this.#resets) {
      this.#planSome(random.between(1, 3), () => this.#calls.reset(this.#anyNode, random.of(["reset", "clear"])));
    }
    if (this.#versions.length > 1) this.#planChange();
    if (this.#isStorm) this.#planMishaps();
    this.#planEnd();
  }

  get #anyNode(): SimNode {
    return this.#random.of(this.#nodes);
  }

  #planSome(times: number, work: () => void): void {
    for (let time = 0; time < times; time += 1) this.#timeline.add(this.#random.between(NOW_US, this.#endUs), work);
  }

  #planLoad(): void {
    const random = this.#random;
    const calls = random.of([30, 80, 160]);
    const [isPulsed, isSkewed] = [random.chance(0.3), random.chance(0.3)];
    const pulses = random.between(2, 8);
    for (let call = 0; call < calls; call += 1) {
      const part = isPulsed ? Math.floor(random.part() * pulses) / pulses + random.part() / 200 : random.part();
      const node = isSkewed && random.chance(0.9) ? this.#nodes[0]! : this.#anyNode;
      const cost = random.chance(0.1) ? random.between(1, 20) : 1;
      this.#timeline.add(NOW_US + part * (this.#endUs - NOW_US), () => this.#call(node, cost));
    }
  }

  #call(node: SimNode, requests: number): void {
    const costs = { requests, tokens: 1 + (requests % 3) };
    this.#calls.take(node, costs, this.#corrects && this.#random.chance(0.3) ? this.#backOf(costs) : undefined);
  }

  #backOf(costs: { readonly requests: number; readonly tokens: number }): Back {
    const random = this.#random;
    const back = { requests: random.between(0, costs.requests), tokens: random.between(0, costs.tokens) };
    const afterUs = random.between(0, random.of([1_000, this.#refillUs / 4, 2 * this.#refillUs]));
    return { costs: back, afterUs, by: random.of(["refund", "settle"]) };
  }

  /** Nodes take leases and keep them, until all of them ask for everything at once, when a lease or a window ends. */
  #planBursts(): void {
    const random = this.#random;
    for (let fromUs = NOW_US; fromUs < this.#endUs; fromUs += 1.7 * this.#refillUs) {
      for (let calls = random.between(20, 70); calls > 0; calls -= 1) {
        const node = this.#anyNode;
        this.#timeline.add(fromUs + (random.part() * this.#refillUs) / 8, () => this.#call(node, 1));
      }
      for (const node of this.#nodes) {
        // An idle node would give back what it holds.
        for (let call = 1; call < 6; call += 1) {
          this.#timeline.add(fromUs + this.#refillUs * (1 / 8 + call / 12), () => this.#call(node, 1));
        }
      }
      this.#timeline.add(fromUs + this.#refillUs / 7, () => this.#planBurst());
    }
  }

  /** An old lease may not be spent in addition to what the server grants after its end. */
  #planBurst(): void {
    const random = this.#random;
    const { nowUs } = this.#timeline;
    const ttlUs = this.#refillUs / 2;
    const isAfterReset = this.#resets && random.chance(0.5);
    const isAtWindow = this.#versions[0]![0]!.kind === "fixed-window" && random.chance(0.5);
    const ends = [nowUs + ttlUs / 4, Math.ceil(nowUs / this.#refillUs) * this.#refillUs, this.#leaseEnd(ttlUs)];
    const endsUs = ends[isAfterReset ? 0 : isAtWindow ? 1 : 2]!;
    if (isAfterReset) this.#timeline.add(endsUs - 20_000, () => this.#calls.reset(this.#anyNode, "reset"));
    // For nodes leases end earlier: by what clocks differ by. They are renewed earlier by some round trips.
    else if (random.chance(0.5)) this.#timeline.add(endsUs - 0.015 * ttlUs - 80_000, () => this.#spendMost());
    const fromUs = endsUs + random.of([0, 0.001, 0.03, 0.07, -0.02]) * ttlUs;
    const spreadUs = random.of([0.0005, 0.0005, 0.01, 0.04]) * ttlUs;
    const calls = 1.5 * capacityOf(this.#versions[0]![0]!);
    for (let call = 0; call < calls; call += 1) {
      const node = this.#anyNode;
      // The last ones spend what the first ones made nodes take in advance.
      const afterUs = call < calls / 2 ? 0 : 50_000;
      this.#timeline.add(fromUs + afterUs + random.part() * spreadUs, () => this.#call(node, 1));
    }
  }

  /** When the last lease of a node ends that holds something. */
  #leaseEnd(ttlUs: number): number {
    const holders = this.#nodes.filter(({ held }) => held > 0);
    return holders.length === 0 ? 0 : this.#random.of(holders).leasedUs + ttlUs;
  }

  /** Most of what nodes hold, but not so much that they renew it: the server hears nothing of it. */
  #spendMost(): void {
    for (const node of this.#nodes) {
      for (let units = Math.floor(0.7 * node.held); units > 0; units -= 1) this.#call(node, 1);
    }
  }

  /** Nodes are replaced one after another, by ones with other limits. */
  #planChange(): void {
    const list = this.#versions[1]!;
    const fromUs = this.#random.between(NOW_US, this.#endUs - this.#refillUs);
    this.#timeline.add(fromUs, () => this.#auditor.start(list, 1));
    for (const [i, node] of this.#nodes.entries()) {
      this.#timeline.add(fromUs + (i * this.#refillUs) / 8, () => {
        node.close();
        node.start(list, 1);
      });
    }
  }

  #planMishaps(): void {
    const random = this.#random;
    const anyTime = () => random.between(0, this.#refillUs);
    const kinds = [
      () => this.#anyNode.kill(),
      () => this.#anyNode.process.stop(anyTime()),
      () => this.#anyNode.process.sleep(anyTime()),
      () => this.#anyNode.process.setWallClock(random.between(0, 3_600_000_000)),
      () => this.#anyNode.giveBack(),
      () => {
        this.#network.unreachableUntilUs = this.#timeline.nowUs + anyTime();
      },
      () => this.#lose((keys) => this.#server.forget(keys)),
      () => this.#failOver(anyTime() / 4),
    ];
    const chosen = random.chance(0.3) ? [] : kinds.filter(() => random.chance(0.4));
    for (const kind of chosen) this.#planSome(random.between(1, 4), kind);
  }

  #lose(work: (keys: readonly string[]) => void): void {
    this.#calls.note({ kind: "loss" });
    work([...this.#network.keys]);
  }

  /** A replica that is behind by so long becomes the primary. */
  #failOver(behindUs: number): void {
    const keys = [...this.#network.keys];
    this.#server.replicate(keys);
    const lose = () => this.#lose(() => this.#server.failOver(keys));
    this.#timeline.add(Math.min(this.#timeline.nowUs + behindUs, this.#endUs), lose);
  }

  #planEnd(): void {
    const [endUs, auditor] = [this.#endUs, this.#auditor];
    this.#timeline.add(endUs, () => {
      this.#network.weather = CALM;
      this.#network.unreachableUntilUs = 0;
      for (const node of this.#nodes) node.close();
    });
    const expired = () => this.#nodes.reduce((sum, node) => sum + node.expired, 0);
    this.#timeline.add(endUs + CALM_US, () => this.#calls.audit(auditor, expired));
    this.#timeline.add(this.#quietUs, () => {
      if (!this.#versions[auditor.version]!.some(isLong)) this.#calls.takeAll(auditor);
    });
    this.#timeline.add(this.lastUs, () => {
      for (const { process } of [...this.#nodes, auditor]) process.hasEnded = true;
      this.#server.forget([...this.#network.keys]);
    });
  }
}
