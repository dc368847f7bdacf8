import type { CommandsStoreClient } from "../../../../src/stores/redis/clients/store-client.ts";
import type { SimProcess } from "./sim-process.ts";
import type { SimServer } from "./sim-server.ts";
import type { Decided, Timeline } from "./timeline.ts";
import type { Weather } from "./weather.ts";

const SHORTLY_US = 20_000;

/** What lies between the processes of a fleet and its server. */
export class SimNetwork {
  weather: Weather;
  unreachableUntilUs = 0;
  /** The rows of the fleet on the server. */
  readonly keys = new Set<string>();
  readonly #timeline: Timeline;
  readonly #server: SimServer;

  /** Half of the messages that come shortly before a multiple of this come at that very moment. */
  readonly #roundUs: number;

  constructor(timeline: Timeline, server: SimServer, weather: Weather, roundUs: number) {
    this.#timeline = timeline;
    this.#server = server;
    this.weather = weather;
    this.#roundUs = roundUs;
  }

  /** A client of a process. `replied` is told of each reply, before the process sees it. */
  connect(process: SimProcess, replied: (decided: Decided, command: readonly string[]) => void): CommandsStoreClient {
    let [arrivesUs, repliesUs] = [0, 0];
    const timeline = this.#timeline;
    const arrive = (command: string[], resolve: (reply: unknown) => void, reject: (error: unknown) => void): void => {
      if (timeline.nowUs < this.unreachableUntilUs) return;
      this.#server.order += 1;
      const decided = { order: this.#server.order, atUs: timeline.nowUs };
      const reply = this.#server.run(command, timeline.nowUs);
      if (this.#loses()) return;
      repliesUs = this.#laterThan(repliesUs);
      let answer = (): void => {};
      const known = async (): Promise<void> => {
        this.#server.flush();
        answer = await reply.then(
          (value) => () => resolve(value),
          (error: unknown) => () => reject(error),
        );
      };
      const hear = (): void => {
        timeline.decided = decided;
        replied(decided, command);
        answer();
      };
      timeline.add(repliesUs, hear, process, known);
    };
    return {
      sendCommand: (...command) => {
        if (command[0] === "EVALSHA" && command[2] === "1") this.keys.add(command[3]!);
        return new Promise((resolve, reject) => {
          if (this.#loses()) return;
          for (let copies = timeline.random.chance(this.weather.repeated) ? 2 : 1; copies > 0; copies -= 1) {
            arrivesUs = this.#laterThan(arrivesUs);
            timeline.add(arrivesUs, () => arrive(command, resolve, reject));
          }
        });
      },
    };
  }

  #loses(): boolean {
    return this.#timeline.random.chance(this.weather.lost);
  }

  /** When a message arrives that is sent now: a connection keeps their order. */
  #laterThan(lastUs: number): number {
    const { random, nowUs } = this.#timeline;
    const { slow, longestUs, keepsOrder } = this.weather;
    const soonUs = nowUs + random.between(500, random.chance(slow) ? longestUs : 8_000);
    const roundUs = Math.ceil(soonUs / this.#roundUs) * this.#roundUs;
    const atUs = roundUs - soonUs < SHORTLY_US && random.chance(0.5) ? roundUs : soonUs;
    return keepsOrder ? Math.max(atUs, lastUs) : atUs;
  }
}
