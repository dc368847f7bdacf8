import type { HttpFacts } from "../facts.ts";
import type { Address } from "./address.ts";
import type { Trusts } from "./compile-trust.ts";
import { nodeAddress } from "./node-address.ts";
import { type ReportForm, reportForm } from "./report-form.ts";
import { Reports } from "./reports.ts";

export const DEFAULT_HEADER = "x-forwarded-for";

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

  /** `undefined` where neither the socket nor a trusted hop tells an address. */
  of(facts: HttpFacts): Address | undefined {
    const { remoteAddress } = facts;
    const peer = remoteAddress === undefined ? undefined : nodeAddress(remoteAddress);
    if (!this.#trusts(peer, 0)) return peer;
    const value = facts.header(this.#header);
    return value === undefined ? peer : this.#walk(peer, new Reports(value, this.#form));
  }

  #walk(peer: Address | undefined, reports: Reports): Address | undefined {
    let client = peer;
    for (let distance = 0; this.#trusts(client, distance); distance += 1) {
      const reported = reports.next();
      if (reported === undefined) return client;
      client = reported;
    }
    return client;
  }
}
