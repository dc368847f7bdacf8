import { warnOnce } from "../../core/warnings.ts";
import type { HttpFacts } from "../http-facts.ts";

/** It looks at so many requests, and then at one in so many: a proxy forwards nearly all. */
const LOOKED_AT = 100;

/** Warns if a proxy forwards requests and no option says whether it is trusted: all its clients count as one. */
export class ProxyHeaderWatch {
  readonly #owner: string;
  #hasWarned = false;
  #requests = 0;

  /** `owner` is what lacks `trustProxy`, as the warning names it. */
  constructor(owner: string) {
    this.#owner = owner;
  }

  look(facts: Pick<HttpFacts, "header">): void {
    if (this.#hasWarned) return;
    this.#requests += 1;
    // Node parses the headers of a request when the first one is read: 5 % of the time of a small response.
    if (this.#requests > LOOKED_AT && this.#requests % LOOKED_AT !== 0) return;
    const name = ["X-Forwarded-For", "Forwarded"].find((header) => facts.header(header) !== undefined);
    if (name === undefined) return;
    this.#hasWarned = true;
    warnOnce(
      "untrusted-proxy",
      `a request has ${name}, and ${this.#owner} has no trustProxy, so it sees the address of the proxy; ` +
        "set trustProxy to what is in front, or to false if nothing is",
    );
  }
}
