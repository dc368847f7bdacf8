import type { Words } from "./source.ts";
import { startOf, textOf, type YamlModule, type YamlNode, type YamlPair } from "./yaml-nodes.ts";

/** Finds where values are in a document: offsets in UTF-16 units. Only mistakes need them, so nothing is prepared. */
export class YamlOffsets {
  readonly #yaml: YamlModule;
  readonly #root: unknown;
  readonly #targets: ReadonlyMap<unknown, unknown>;
  /** The parts of the maps in which an offset was looked for, by their keys. */
  readonly #pairs = new Map<unknown, ReadonlyMap<string, YamlPair>>();

  /** `targets`: what each alias stands for. */
  constructor(yaml: YamlModule, root: unknown, targets: ReadonlyMap<unknown, unknown>) {
    this.#yaml = yaml;
    this.#root = root;
    this.#targets = targets;
  }

  /** The deepest part that these words lead to, or its key. */
  of(words: Words, part: "key" | "value"): number {
    let node = this.#root;
    let at = 0;
    let keyAt = 0;
    for (const word of words) {
      const pair = this.#yaml.isMap(node) ? this.#pairsOf(node).get(String(word)) : undefined;
      const items = this.#yaml.isSeq(node) ? (node as YamlNode).items : undefined;
      const next = pair === undefined ? items?.[Number(word)] : pair.value;
      if (pair === undefined && next === undefined) return startOf(node, at);
      at = startOf(node, at);
      keyAt = startOf(pair?.key, at);
      at = pair === undefined ? at : keyAt;
      node = this.#targets.get(next) ?? next;
    }
    return part === "key" ? keyAt : startOf(node, at);
  }

  #pairsOf(map: unknown): ReadonlyMap<string, YamlPair> {
    const known = this.#pairs.get(map);
    if (known !== undefined) return known;
    const items = (map as YamlNode).items as readonly YamlPair[];
    const pairs = new Map(items.map((pair) => [textOf(pair.key), pair]));
    this.#pairs.set(map, pairs);
    return pairs;
  }
}
