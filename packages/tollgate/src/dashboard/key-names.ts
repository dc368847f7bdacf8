import { encodeKey } from "../core/key.ts";
import { idOf } from "./key-activity.ts";
import type { NamedKey, ShownKey, SourceKey } from "./snapshot.ts";
import { DashboardError, type DashboardSource } from "./source.ts";

/** Keys of the lists, of events and of details that a page may still show. */
const MOST_NAMED = 1_000;
const MOST_SHOWN = 256;
const CUT = /^.{100}…[0-9a-f]{16}$/s;

/** Names keys for pages: by an id, so that a page can ask about a key that is masked. */
export class KeyNames {
  readonly #source: Pick<DashboardSource, "mask">;
  /** The key that was named least recently is first. */
  readonly #named = new Map<string, ShownKey>();
  #made = 0;

  constructor(source: Pick<DashboardSource, "mask">) {
    this.#source = source;
  }

  /** A key as pages have it. A long one is cut, unless all of it is asked for. */
  name(named: SourceKey, isShown: boolean, most: number = MOST_SHOWN): ShownKey {
    const { limiter, key } = named;
    const text = isShown ? plainText(key) : this.#source.mask({ limiter, key });
    const identity = idOf(named);
    const known = this.#named.get(identity) ?? { limiter, key, id: `k${++this.#made}` };
    this.#named.delete(identity);
    this.#named.set(identity, known);
    const [oldest = ""] = this.#named.keys();
    if (this.#named.size > MOST_NAMED) this.#named.delete(oldest);
    return { limiter, key: text.length > most ? `${text.slice(0, most)}…` : text, id: known.id };
  }

  /** @throws DashboardError */
  find(named: NamedKey): SourceKey {
    const { limiter } = named;
    // The key of a limiter without facts is an empty list.
    if ("key" in named) return { limiter, key: named.key.length === 0 ? "" : encodeKey(named.key) };
    const found = [...this.#named.values()].find((one) => one.id === named.id && one.limiter === limiter);
    if (found === undefined) throw new DashboardError(404, "id: expected one of a list");
    if (!isCut(found.key)) return { limiter, key: found.key };
    throw new DashboardError(404, "the key is too long to be kept in lists; search for the whole key");
  }
}

/** Whether `hotKeys` has cut the key, because it is long. */
export function isCut(key: string): boolean {
  return CUT.test(key);
}

/** A text that begins like a tuple has one more mark. */
function plainText(key: string): string {
  return key.startsWith("[[") ? key.slice(1) : key;
}
