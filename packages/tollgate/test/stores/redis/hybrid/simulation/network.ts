import type { Random } from "../../script/kit/random.ts";
import type { Events } from "./events.ts";
import type { SimNode } from "./sim-node.ts";

/** What a network does to messages, each with a probability. */
export interface Weather {
  readonly lost: number;
  readonly repeated: number;
  /** How many messages are slow, and how slow. */
  readonly slow: number;
  readonly longestUs: number;
  readonly timeoutUs: number;
}

export function weatherOf(random: Random, refillUs: number): Weather {
  const isBad = random.chance(0.6);
  return {
    lost: isBad ? random.of([0, 0.05, 0.3]) : 0,
    repeated: isBad ? random.of([0, 0.1, 0.5]) : 0,
    slow: random.of([0.1, 0.9]),
    longestUs: isBad ? random.of([50_000, refillUs / 10, refillUs]) : 20_000,
    timeoutUs: random.of([100_000, refillUs / 4]),
  };
}

/** A request of a node. */
export interface SimRequest<Answer> {
  readonly node: Pick<SimNode, "starts" | "stoppedUntilUs">;
  /** Whether the network may repeat it. */
  readonly isRepeated: boolean;
  /** The server decides. */
  readonly decide: () => Promise<Answer>;
  /** The node gets the first answer in time. */
  readonly answered: (answer: Answer, decidedUs: number) => void;
  readonly timedOut: () => void;
}

/** Messages between nodes and the server: late, lost and repeated. */
export class Network {
  readonly #random: Random;
  readonly #events: Events;
  readonly #weather: Weather;
  #unreachableUntilUs = Number.NEGATIVE_INFINITY;

  constructor(random: Random, events: Events, weather: Weather) {
    this.#random = random;
    this.#events = events;
    this.#weather = weather;
  }

  /** The server cannot be reached for so long. */
  cut(forUs: number): void {
    this.#unreachableUntilUs = this.#events.nowUs + forUs;
  }

  send<Answer>({ node, isRepeated, decide, answered, timedOut }: SimRequest<Answer>): void {
    const { starts } = node;
    let isOver = false;
    const end = (work: () => void) => {
      this.whenRunning(node, () => {
        if (isOver || node.starts !== starts) return;
        isOver = true;
        work();
      });
    };
    this.#events.add(this.#events.nowUs + this.#weather.timeoutUs, () => end(timedOut));
    const times = isRepeated && this.#random.chance(this.#weather.repeated) ? 2 : 1;
    for (let sent = 0; sent < times; sent += 1) {
      this.deliver(async () => {
        const answer = await decide();
        const decidedUs = this.#events.nowUs;
        if (this.#random.chance(this.#weather.lost)) return;
        this.#events.add(decidedUs + this.#delayUs(), () => end(() => answered(answer, decidedUs)));
      });
    }
  }

  /** Works when the node runs. */
  whenRunning(node: Pick<SimNode, "stoppedUntilUs">, work: () => void): void {
    if (this.#events.nowUs >= node.stoppedUntilUs) work();
    else this.#events.add(node.stoppedUntilUs, () => this.whenRunning(node, work));
  }

  /** Runs a request after a delay, unless it is lost or the server cannot be reached. */
  deliver(work: () => Promise<void>): void {
    if (this.#random.chance(this.#weather.lost)) return;
    this.#events.add(this.#events.nowUs + this.#delayUs(), () => {
      return this.#events.nowUs < this.#unreachableUntilUs ? undefined : work();
    });
  }

  #delayUs(): number {
    return this.#random.between(0, this.#random.chance(this.#weather.slow) ? this.#weather.longestUs : 2_000);
  }
}
