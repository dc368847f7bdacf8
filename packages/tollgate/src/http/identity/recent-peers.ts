import { ownCopy } from "../../core/text-memory.ts";

const MOST_PEERS = 1_024;
/** Of an address with a zone. What somebody's own function takes for one may be a whole header. */
const MOST_CHARACTERS = 64;
/** Of so many peers that are not known one is remembered: whoever comes often comes again, and a flood of others costs less. */
const ONE_IN = 4;

/** The keys of peers that came lately: to look is many times quicker than to read an address of IPv6 again. */
export class RecentPeers {
  readonly #keyOf: (peer: string) => string;
  #keys = new Map<string, string>();
  #turn = 0;

  constructor(keyOf: (peer: string) => string) {
    this.#keyOf = keyOf;
  }

  of(peer: string): string {
    return this.#keys.get(peer) ?? this.#read(peer);
  }

  #read(peer: string): string {
    const key = this.#keyOf(peer);
    this.#turn = (this.#turn + 1) % ONE_IN;
    if (this.#turn === 0 && peer.length <= MOST_CHARACTERS) this.#remember(ownCopy(peer), key);
    return key;
  }

  #remember(peer: string, key: string): void {
    // Beginning anew costs those that come often next to nothing, keeping an order would cost everybody.
    if (this.#keys.size === MOST_PEERS) this.#keys = new Map();
    this.#keys.set(peer, key);
  }
}
