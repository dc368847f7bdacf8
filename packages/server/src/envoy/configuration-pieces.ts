import type { Mistake } from "../limits/mistake.ts";
import type { Configuration } from "./configuration.ts";
import { DescriptorTree } from "./descriptor-tree.ts";
import { makeRule, type Rule, type RuleOptions } from "./rule.ts";

/** A part of a configuration that one message has: receiving a whole one would block the thread for long. */
export type ConfigurationPiece =
  | { readonly type: "mistakes"; readonly mistakes: readonly Mistake[] }
  | { readonly type: "domain"; readonly name: string }
  | { readonly type: "descriptors"; readonly descriptors: readonly FlatDescriptor[] }
  | { readonly type: "end" };

/** A descriptor of a domain, without those below it. */
interface FlatDescriptor {
  /** The number of the one that it is below, counted from 0 in their order; `undefined` below the domain. */
  readonly parent: number | undefined;
  readonly key: string;
  readonly value: string;
  readonly shared: boolean;
  readonly rule: RuleOptions | undefined;
}

/** They take about a millisecond. */
const DESCRIPTORS_IN_PIECE = 250;

/** Cuts a configuration into pieces, in its order. */
export function* piecesOf(configuration: Configuration): Generator<ConfigurationPiece, undefined> {
  for (const [name, tree] of configuration) {
    yield { type: "domain", name };
    let descriptors: FlatDescriptor[] = [];
    for (const descriptor of flat(tree, undefined, { next: 0 })) {
      descriptors.push(descriptor);
      if (descriptors.length < DESCRIPTORS_IN_PIECE) continue;
      yield { type: "descriptors", descriptors };
      descriptors = [];
    }
    yield { type: "descriptors", descriptors };
  }
  yield { type: "end" };
}

/** Puts the pieces of a configuration together again. */
export class JoinedConfiguration {
  readonly #domains = new Map<string, DescriptorTree>();
  #root = new DescriptorTree();
  /** What is below each descriptor of the domain. */
  #children: DescriptorTree[] = [];

  /** @returns the configuration, with its last piece. */
  add(piece: Exclude<ConfigurationPiece, { readonly type: "mistakes" }>): Configuration | undefined {
    switch (piece.type) {
      case "domain":
        this.#root = new DescriptorTree();
        this.#children = [];
        this.#domains.set(piece.name, this.#root);
        return undefined;
      case "descriptors":
        for (const descriptor of piece.descriptors) this.#addDescriptor(descriptor);
        return undefined;
      case "end":
        return this.#domains;
      default:
        return piece satisfies never;
    }
  }

  #addDescriptor({ parent, key, value, shared, rule }: FlatDescriptor): void {
    const children = new DescriptorTree();
    this.#children.push(children);
    const tree = parent === undefined ? this.#root : this.#children[parent];
    tree?.add(key, value, { rule: rule && makeRule(rule), shared, children });
  }
}

/** A descriptor comes before those below it. */
function* flat(
  tree: DescriptorTree,
  parent: number | undefined,
  numbers: { next: number },
): Generator<FlatDescriptor, undefined> {
  for (const { key, value, descriptor } of tree.descriptors()) {
    const own = numbers.next;
    numbers.next += 1;
    const { rule, shared, children } = descriptor;
    yield { parent, key, value, shared, rule: rule && optionsOf(rule) };
    yield* flat(children, own, numbers);
  }
}

/** Limits cannot be sent to another thread. */
function optionsOf({ limits: _limits, window: _window, ...options }: Rule): RuleOptions {
  return options;
}
