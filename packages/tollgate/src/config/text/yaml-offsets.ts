import type { Source } from "./source.ts";
import { startOf, textOf, type YamlModule, type YamlNode, type YamlPair } from "./yaml-nodes.ts";

/**
 * Finds where values are in a document: offsets in UTF-16 units. Only mistakes need them, so nothing is prepared.
 *
 * @param targets what each alias stands for.
 */
export function offsetsIn(
  yaml: YamlModule,
  root: unknown,
  targets: ReadonlyMap<unknown, unknown>,
): NonNullable<Source["offsetOf"]> {
  /** The parts of the maps in which an offset was looked for, by their keys. */
  const known = new Map<unknown, ReadonlyMap<string, YamlPair>>();
  const pairsOf = (map: unknown): ReadonlyMap<string, YamlPair> => {
    const items = (map as YamlNode).items as readonly YamlPair[];
    const pairs = known.get(map) ?? new Map(items.map((pair) => [textOf(pair.key), pair]));
    known.set(map, pairs);
    return pairs;
  };
  const childOf = (node: unknown, word: string | number): YamlPair | undefined => {
    if (yaml.isMap(node)) return pairsOf(node).get(String(word));
    const item = yaml.isSeq(node) ? (node as YamlNode).items?.[Number(word)] : undefined;
    return item === undefined ? undefined : { key: item, value: item };
  };
  return (words, part) => {
    let node = root;
    let at = 0;
    for (const word of words) {
      const child = childOf(node, word);
      if (child === undefined) return startOf(node, at);
      at = startOf(child.key, startOf(node, at));
      node = targets.get(child.value) ?? child.value;
    }
    return part === "key" ? at : startOf(node, at);
  };
}
