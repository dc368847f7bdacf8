import type { HttpFacts } from "../facts.ts";
import type { Address } from "./address.ts";
import type { Trusts } from "./compile-trust.ts";
import { nodeAddress } from "./node-address.ts";
import { type ReportForm, reportForm } from "./report-form.ts";
import { Reports } from "./reports.ts";

export const DEFAULT_HEADER = "x-forwarded-for";

/** Where the way back to the client ended. */
export interface Found {
  /** `undefined` where neither the socket nor a trusted hop tells an address. */
  readonly client: Address | undefined;
  /** Whether somebody stands behind this address of whom a trusted hop has told, but no address. */
  readonly isHiding: boolean;
}

/** Goes from the socket's peer back to the client, as far as the hops are trusted. */
export class ClientFinder {
  readonly #trusts: Trusts;
  readonly #header: string;
  readonly #form: ReportForm;

  /** The header's name is in any case. */
  constructor(trusts: Trusts, header: string) {
    this.#trusts = trusts;
    this.#header = header.toLowerCase();
    this.#form = reportForm(this.#header);
  }

  of(facts: HttpFacts): Found {
    const { remoteAddress } = facts;
    const peer = remoteAddress === undefined ? undefined : nodeAddress(remoteAddress);
    const value = this.#trusts(peer, 0) ? facts.header(this.#header) : undefined;
    return value === undefined ? { client: peer, isHiding: false } : this.#walk(peer, new Reports(value, this.#form));
  }

  #walk(peer: Address | undefined, reports: Reports): Found {
    let client = peer;
    for (let distance = 0; this.#trusts(client, distance); distance += 1) {
      const report = reports.next();
      // A header that is there and names nobody is not one that is missing.
      if (report === "none") return { client, isHiding: distance === 0 };
      if (report === "unreadable") return { client, isHiding: true };
      client = report;
    }
    return { client, isHiding: false };
  }
}
