import { warnOnce } from "../../core/warnings.ts";

/** A client of a Node server may be gone before its address is read, so a few requests without one are no mistake. */
const ENOUGH = 10;

/** Warns if the first requests have no address: then all clients count as one. */
export class MissingAddressWatch {
  #left = ENOUGH;

  /** An address was found, so that one that is missing later is an exception. */
  found(): void {
    this.#left = 0;
  }

  missing(): void {
    if (this.#left === 0) return;
    this.#left -= 1;
    if (this.#left > 0) return;
    warnOnce(
      "no-address",
      `clientIp() has found no address in ${ENOUGH} requests, so that all clients count as one; where there is no ` +
        "socket, name the header that has the address, such as on Workers " +
        '{ trustProxy: 1, addressHeader: "cf-connecting-ip" }',
    );
  }
}
