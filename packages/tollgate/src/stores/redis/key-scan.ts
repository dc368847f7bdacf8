import type { Report } from "../../core/report.ts";
import type { KeyCall } from "./batch/key-call.ts";
import { CALLS_AT_ONCE, inPortions } from "./clients/portions.ts";
import type { RedisPort } from "./clients/redis-port.ts";
import type { RedisSpace } from "./redis-space.ts";
import type { ServerLink } from "./server-link.ts";

/** Applies a verb to one key. */
type AskAlone = (verb: "forget" | "drop", call: KeyCall, nowUs: number) => Promise<Report>;

/**
 * Visits all keys of a limiter on the server, by `SCAN`.
 *
 * @throws TollgateError `ERR_STORE`, from each method, when the server becomes unavailable before the end.
 */
export class KeyScan {
  readonly #port: RedisPort;
  readonly #link: ServerLink;
  readonly #atOnce: number;
  readonly #askAlone: AskAlone;

  constructor(port: RedisPort, link: ServerLink, maxPending: number, askAlone: AskAlone) {
    this.#port = port;
    this.#link = link;
    this.#atOnce = Math.min(CALLS_AT_ONCE, maxPending);
    this.#askAlone = askAlone;
  }

  /** Removes what counts under the space's limits. */
  async forgetAll(space: RedisSpace, nowUs: number): Promise<void> {
    for await (const names of this.#pages(space)) {
      const forget = (name: string) => this.#askAlone("forget", space.callByName(name), nowUs);
      await inPortions(names, this.#atOnce, (some) => Promise.all(some.map(forget)));
    }
  }

  async count(space: RedisSpace): Promise<number> {
    const seen = new Set<string>();
    for await (const names of this.#pages(space)) for (const name of names) seen.add(name);
    return seen.size;
  }

  /** Removes idle keys. @returns how many. */
  async dropIdle(space: RedisSpace, nowUs: number): Promise<number> {
    const seen = new Set<string>();
    let removed = 0;
    for await (const names of this.#pages(space)) {
      const fresh = names.filter((name) => !seen.has(name));
      const outcomes = await Promise.all(fresh.map((name) => this.#askAlone("drop", space.callByName(name), nowUs)));
      for (const { admitted } of outcomes) if (admitted) removed += 1;
      for (const name of fresh) seen.add(name);
    }
    return removed;
  }

  async *#pages(space: RedisSpace): AsyncGenerator<readonly string[]> {
    const pages = this.#port.scan(space.head)[Symbol.asyncIterator]();
    for (;;) {
      const page = await this.#link.administer(() => pages.next());
      if (page.done === true) return;
      yield page.value;
    }
  }
}
