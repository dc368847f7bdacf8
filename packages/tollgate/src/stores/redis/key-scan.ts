import type { Report } from "../../core/report.ts";
import type { KeyCall } from "./batch/key-call.ts";
import { CALLS_AT_ONCE } from "./clients/portions.ts";
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
    for await (const names of this.#pages(space)) await this.#askEach("forget", names, space, nowUs);
  }

  async count(space: RedisSpace): Promise<number> {
    let count = 0;
    for await (const names of this.#pages(space)) count += names.length;
    return count;
  }

  /** Removes idle keys. @returns how many. */
  async dropIdle(space: RedisSpace, nowUs: number): Promise<number> {
    let removed = 0;
    for await (const names of this.#pages(space)) removed += await this.#askEach("drop", names, space, nowUs);
    return removed;
  }

  /** Applies a verb to keys, so many at a time. @returns how many were admitted. */
  async #askEach(verb: "forget" | "drop", names: readonly string[], space: RedisSpace, nowUs: number): Promise<number> {
    let admitted = 0;
    for (let from = 0; from < names.length; from += this.#atOnce) {
      const some = names.slice(from, from + this.#atOnce);
      const reports = await Promise.all(some.map((name) => this.#askAlone(verb, space.callByName(name), nowUs)));
      admitted += reports.filter((report) => report.admitted).length;
    }
    return admitted;
  }

  /** Names of keys, each once. */
  async *#pages(space: RedisSpace): AsyncGenerator<readonly string[]> {
    const seen = new Set<string>();
    const pages = this.#port.scan(space.head)[Symbol.asyncIterator]();
    for (;;) {
      const page = await this.#link.administer(() => pages.next());
      if (page.done === true) return;
      const fresh = page.value.filter((name) => !seen.has(name));
      for (const name of fresh) seen.add(name);
      yield fresh;
    }
  }
}
