import { warnOnce } from "../../core/warnings.ts";
import type { HttpFacts } from "../http-facts.ts";

/** One request in so many is looked at. Behind a proxy nearly every request has such a header. */
const ONE_IN = 64;

/** Warns if a proxy forwards requests and no option says whether it is trusted: all its clients count as one. */
export class ProxyHeaderWatch {
  readonly #owner: string;
  /** Requests until the next look; the first is looked at. `Infinity` once it has warned. */
  #countdown = 1;

  /** `owner` is what lacks `trustProxy`, as the warning names it. */
  constructor(owner: string) {
    this.#owner = owner;
  }

  look(facts: Pick<HttpFacts, "header">): void {
    this.#countdown -= 1;
    if (this.#countdown === 0) this.#countdown = this.#warnsOf(facts) ? Number.POSITIVE_INFINITY : ONE_IN;
  }

  #warnsOf(facts: Pick<HttpFacts, "header">): boolean {
    const name = ["X-Forwarded-For", "Forwarded"].find((header) => facts.header(header) !== undefined);
    if (name === undefined) return false;
    warnOnce(
      "untrusted-proxy",
      `a request has ${name}, and ${this.#owner} has no trustProxy, so it sees the address of the proxy; ` +
        "set trustProxy to what is in front, or to false if nothing is",
    );
    return true;
  }
}
