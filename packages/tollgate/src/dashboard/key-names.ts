import { encodeKey } from "../core/key.ts";
import type { KeyRow, NamedKey } from "./snapshot.ts";
import { DashboardError, type DashboardSource, type SourceKey } from "./source.ts";

/** Keys of the lists, of events and of details that a page may still show. */
const MOST_NAMED = 1_000;
const MOST_SHOWN = 256;
const CUT = /^.{100}…[0-9a-f]{16}$/s;

/** Names keys for pages: by an id, so that a page can ask about a key that is masked. */
export class KeyNames {
  readonly #source: Pick<DashboardSource, "mask">;
  readonly #byId = new Map<string, SourceKey>();
  readonly #ids = new Map<string, string>();
  #made = 0;

  constructor(source: Pick<DashboardSource, "mask">) {
    this.#source = source;
  }

  /** A key as pages have it. A long one is cut, unless all of it is asked for. */
  name(
    { limiter, key }: SourceKey,
    isShown: boolean,
    most: number = MOST_SHOWN,
  ): Pick<KeyRow, "limiter" | "key" | "id"> {
    const text = isShown ? plainText(key) : this.#source.mask({ limiter, key });
    const shown = text.length > most ? `${text.slice(0, most)}…` : text;
    return { limiter, key: shown, id: this.#idOf({ limiter, key }) };
  }

  /** @throws DashboardError */
  find(named: NamedKey): SourceKey {
    const { limiter } = named;
    if ("key" in named) return { limiter, key: encoded(named.key) };
    const found = this.#byId.get(named.id);
    if (found === undefined || found.limiter !== limiter) throw new DashboardError(404, "id: expected one of a list");
    if (!isCut(found.key)) return found;
    throw new DashboardError(404, "the key is too long to be kept in lists; search for the whole key");
  }

  #idOf(key: SourceKey): string {
    const identity = `${key.limiter}\0${key.key}`;
    const known = this.#ids.get(identity);
    this.#ids.delete(identity);
    const id = known ?? `k${++this.#made}`;
    this.#ids.set(identity, id);
    if (known !== undefined) return id;
    this.#byId.set(id, key);
    if (this.#ids.size > MOST_NAMED) {
      const [[oldest, oldId] = ["", ""]] = this.#ids;
      this.#ids.delete(oldest);
      this.#byId.delete(oldId);
    }
    return id;
  }
}

/** Whether `hotKeys` has cut the key, because it is long. */
export function isCut(key: string): boolean {
  return CUT.test(key);
}

/** The key of a limiter without facts is an empty list. */
function encoded(key: string | readonly string[]): string {
  return typeof key !== "string" && key.length === 0 ? "" : encodeKey(key);
}

/** A text that begins like a tuple has one more mark. */
function plainText(key: string): string {
  return key.startsWith("[[") ? key.slice(1) : key;
}
