import type { Rule } from "./rule.ts";
import { Wildcard } from "./wildcard.ts";

export interface Entry {
  readonly key: string;
  readonly value: string;
}

/** What a descriptor of a request meets in a configuration. */
export interface Match {
  readonly rule: Rule;
  /** Keys and values in turn. Requests with equal parts share a count. */
  readonly parts: readonly string[];
}

/** A level of a configuration: the descriptors below a domain or below another descriptor. */
export class DescriptorTree {
  readonly #byKey = new Map<string, KeyedDescriptors>();

  add(key: string, value: string, descriptor: Descriptor): void {
    const known: KeyedDescriptors = this.#byKey.get(key) ?? { exact: new Map(), wildcards: [], any: undefined };
    this.#byKey.set(key, known);
    if (value === "") known.any = descriptor;
    else if (value.includes("*")) known.wildcards.push({ wildcard: new Wildcard(value), descriptor });
    else known.exact.set(value, descriptor);
  }

  /**
   * Finds the rule of a list of entries, which must end where the rule stands. On each level an exact value comes
   * first, then wildcards in the order of the file, then the key without a value. There is no way back.
   */
  match(entries: readonly Entry[]): Match | undefined {
    const parts: string[] = [];
    let reached: Descriptor | undefined;
    for (const { key, value } of entries) {
      const found: Found | undefined = (reached?.children ?? this).#find(key, value);
      if (found === undefined) return undefined;
      reached = found.descriptor;
      parts.push(key, reached.shared ? found.pattern : value);
    }
    return reached?.rule && { rule: reached.rule, parts };
  }

  #find(key: string, value: string): Found | undefined {
    const known = this.#byKey.get(key);
    if (known === undefined) return undefined;
    const exact = known.exact.get(value);
    if (exact !== undefined) return { descriptor: exact, pattern: value };
    for (const { wildcard, descriptor } of known.wildcards) {
      if (wildcard.matches(value)) return { descriptor, pattern: wildcard.pattern };
    }
    return known.any && { descriptor: known.any, pattern: "" };
  }

  /** The rules of this level and those below it, in the order in which they are tried. */
  *rules(): Generator<Rule, undefined> {
    for (const { exact, wildcards, any } of this.#byKey.values()) {
      const found = [...exact.values(), ...wildcards.map(({ descriptor }) => descriptor), any];
      for (const descriptor of found) {
        if (descriptor?.rule !== undefined) yield descriptor.rule;
        if (descriptor !== undefined) yield* descriptor.children.rules();
      }
    }
  }
}

export interface Descriptor {
  readonly rule: Rule | undefined;
  /** Whether all values of a wildcard share one count. */
  readonly shared: boolean;
  readonly children: DescriptorTree;
}

interface Found {
  readonly descriptor: Descriptor;
  /** The value of the file. */
  readonly pattern: string;
}

interface KeyedDescriptors {
  readonly exact: Map<string, Descriptor>;
  readonly wildcards: { readonly wildcard: Wildcard; readonly descriptor: Descriptor }[];
  any: Descriptor | undefined;
}
