import type { Report } from "../../core/report.ts";
import type { KeyCall } from "./batch/key-call.ts";
import { CALLS_AT_ONCE } from "./clients/portions.ts";
import type { RedisPort } from "./clients/redis-port.ts";
import type { ServerLink } from "./server-link.ts";

/** Applies a verb to one key. */
export type AskAlone = (verb: "forget" | "drop", call: KeyCall, nowUs: number) => Promise<Report>;

/** The keys of a limiter. */
interface ScannedSpace {
  /** What their names begin with. */
  readonly head: string;
  callByName(name: string): KeyCall;
}

/**
 * Visits all keys of a limiter on the server, by `SCAN`.
 *
 * @throws TollgateError `ERR_STORE`, from each method, when the server becomes unavailable before the end.
 */
export class KeyScan {
  readonly #port: RedisPort;
  readonly #link: ServerLink;
  readonly #atOnce: number;
  readonly #ask: AskAlone;

  constructor(port: RedisPort, link: ServerLink, maxPending: number, ask: AskAlone) {
    this.#port = port;
    this.#link = link;
    this.#atOnce = Math.min(CALLS_AT_ONCE, maxPending);
    this.#ask = ask;
  }

  /** Removes what counts under the space's limits. */
  async forgetAll(space: ScannedSpace, nowUs: number): Promise<void> {
    for await (const names of this.#pages(space)) await this.#askEach("forget", names, space, nowUs);
  }

  async count(space: ScannedSpace): Promise<number> {
    let count = 0;
    for await (const names of this.#pages(space)) count += names.length;
    return count;
  }

  /** Removes idle keys. @returns how many. */
  async dropIdle(space: ScannedSpace, nowUs: number): Promise<number> {
    let removed = 0;
    for await (const names of this.#pages(space)) removed += await this.#askEach("drop", names, space, nowUs);
    return removed;
  }

  /** Applies a verb to keys, so many at a time. @returns how many were admitted. */
  async #askEach(
    verb: "forget" | "drop",
    names: readonly string[],
    space: ScannedSpace,
    nowUs: number,
  ): Promise<number> {
    let admitted = 0;
    for (let from = 0; from < names.length; from += this.#atOnce) {
      const some = names.slice(from, from + this.#atOnce);
      const reports = await Promise.all(some.map((name) => this.#ask(verb, space.callByName(name), nowUs)));
      admitted += reports.filter((report) => report.admitted).length;
    }
    return admitted;
  }

  /** Names of keys, each once. */
  async *#pages(space: ScannedSpace): AsyncGenerator<readonly string[]> {
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
