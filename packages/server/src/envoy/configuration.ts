import type { Node } from "yaml";
import type { FileText } from "../files/read-texts.ts";
import type { Compiled } from "../limits/limits-files.ts";
import { ConfigurationFile, type Field } from "./configuration-file.ts";
import { DescriptorTree } from "./descriptor-tree.ts";
import { makeRule, type RuleOptions } from "./rule.ts";
import { UNIT_NAMES, type Unit } from "./units.ts";

/** The limits of all domains. Never changes: a reload makes another. */
export type Configuration = ReadonlyMap<string, DescriptorTree>;

/** What files say, as plain data. */
export type ConfigurationWords = readonly (readonly [domain: string, descriptors: readonly DescriptorWords[]])[];

interface DescriptorWords {
  readonly key: string;
  /** Empty without a value. */
  readonly value: string;
  /** Whether all values of a wildcard share one count. */
  readonly shared: boolean;
  readonly rule: RuleOptions | undefined;
  readonly descriptors: readonly DescriptorWords[];
}

const ROOT_KEYS = ["domain", "descriptors"] as const;
const DESCRIPTOR_KEYS = [
  "key",
  "value",
  "rate_limit",
  "descriptors",
  "shadow_mode",
  "detailed_metric",
  "value_to_metric",
  "share_threshold",
  "quota_mode",
  "metadata",
] as const;
const RATE_LIMIT_KEYS = ["unit", "requests_per_unit", "unlimited", "name", "replaces"] as const;

const MOST_REQUESTS = 2 ** 32 - 1;

/**
 * Reads files of Envoy's reference service (envoyproxy/ratelimit). A mistake in one file leaves no configuration at
 * all.
 */
export function readWords(texts: readonly FileText[]): Compiled<ConfigurationWords> {
  const domains: [string, readonly DescriptorWords[]][] = [];
  const owners = new Map<string, string>();
  const mistakes = texts.flatMap(({ file, text }) => {
    const source = new ConfigurationFile(file, text);
    if (source.mistakes.length === 0) new DomainReader(source, file, owners).read(domains);
    return source.mistakes;
  });
  return mistakes.length === 0 ? { value: domains } : { mistakes };
}

export function compileWords(words: ConfigurationWords): Configuration {
  return new Map(words.map(([domain, descriptors]) => [domain, treeOf(descriptors)]));
}

function treeOf(descriptors: readonly DescriptorWords[]): DescriptorTree {
  const tree = new DescriptorTree();
  for (const { key, value, shared, rule, descriptors: below } of descriptors)
    tree.add(key, value, { rule: rule && makeRule(rule), shared, children: treeOf(below) });
  return tree;
}

function pathOf(parent: string, key: string, value: string): string {
  return `${parent}.${key}${value === "" ? "" : `_${value}`}`;
}

/** Reads the one domain of a file. */
class DomainReader {
  readonly #source: ConfigurationFile;
  readonly #file: string;
  /** The file of each domain. */
  readonly #owners: Map<string, string>;

  constructor(source: ConfigurationFile, file: string, owners: Map<string, string>) {
    this.#source = source;
    this.#file = file;
    this.#owners = owners;
  }

  read(domains: [string, readonly DescriptorWords[]][]): void {
    const fields = this.#source.mapping(this.#source.root, "the file", ROOT_KEYS);
    if (fields === undefined) return;
    const domain = this.#filled(fields, this.#source.root, "domain");
    if (domain === undefined) return;
    const owner = this.#owners.get(domain);
    if (owner !== undefined) this.#source.wrong(fields.get("domain")?.value, `a domain that ${owner} does not have`);
    this.#owners.set(domain, this.#file);
    domains.push([domain, this.#descriptors(fields.get("descriptors"), domain, 1)]);
  }

  #descriptors(field: Field | undefined, path: string, level: number): readonly DescriptorWords[] {
    const found = new Map<string, DescriptorWords>();
    for (const node of this.#source.list(field?.value, "descriptors")) {
      if (this.#source.exceeds(level, node)) break;
      const descriptor = this.#descriptor(node, path, level);
      if (descriptor === undefined) continue;
      const { key, value } = descriptor;
      const id = JSON.stringify([key, value]);
      if (found.has(id))
        this.#source.wrong(node, "another key or value than a descriptor before", pathOf(path, key, value));
      found.set(id, descriptor);
    }
    return [...found.values()];
  }

  #descriptor(node: Node, parent: string, level: number): DescriptorWords | undefined {
    const source = this.#source;
    const fields = source.mapping(node, "a descriptor", DESCRIPTOR_KEYS);
    if (fields === undefined) return undefined;
    const key = this.#filled(fields, node, "key");
    const value = fields.get("value")?.value === undefined ? "" : source.text(fields.get("value")?.value, "value");
    if (key === undefined || value === undefined) return undefined;
    const path = pathOf(parent, key, value);
    const shared = this.#flag(fields, "share_threshold");
    if (shared && !value.includes("*"))
      source.wrong(fields.get("share_threshold")?.key, "share_threshold beside a value with *");
    const descriptors = this.#descriptors(fields.get("descriptors"), path, level + 1);
    return { key, value, shared, rule: this.#rule(fields, path), descriptors };
  }

  #rule(fields: ReadonlyMap<string, Field>, path: string): RuleOptions | undefined {
    const source = this.#source;
    const shadow = this.#flag(fields, "shadow_mode");
    const quota = this.#flag(fields, "quota_mode");
    // They change the names of statistics in Envoy's service, which this one does not have.
    for (const ignored of ["detailed_metric", "value_to_metric"]) this.#flag(fields, ignored);
    const metadataNode = fields.get("metadata")?.value;
    const metadata = metadataNode === undefined ? undefined : source.plain(metadataNode, "metadata");
    const node = fields.get("rate_limit")?.value;
    if (node === undefined) return undefined;
    const limit = source.mapping(node, "rate_limit", RATE_LIMIT_KEYS);
    if (limit === undefined) return undefined;
    const unlimited = this.#flag(limit, "unlimited");
    const name = limit.has("name") ? (source.text(limit.get("name")?.value, "name") ?? "") : "";
    const common = { path, shadow, quota, metadata, name, replaces: this.#replaces(limit, name), unlimited };
    if (unlimited) {
      if (limit.has("unit")) source.wrong(limit.get("unit")?.key, "no unit beside unlimited: true");
      return common;
    }
    const unit = this.#unit(limit, node);
    const requestsPerUnit = this.#requestsPerUnit(limit);
    if (unit === undefined || requestsPerUnit === undefined) return undefined;
    return { ...common, unit, requestsPerUnit };
  }

  #unit(limit: ReadonlyMap<string, Field>, node: Node): Unit | undefined {
    const expected = `unit: ${UNIT_NAMES.join(", ")}`;
    const field = limit.get("unit");
    if (field === undefined) return this.#source.wrong(node, expected, "a rate_limit without it");
    const text = this.#source.text(field.value, "unit");
    if (text === undefined) return undefined;
    const unit = UNIT_NAMES.find((known) => known === text.toLowerCase());
    return unit ?? this.#source.wrong(field.value, expected);
  }

  /** Without it the limit is 0, as in Envoy's service: it denies. */
  #requestsPerUnit(limit: ReadonlyMap<string, Field>): number | undefined {
    const field = limit.get("requests_per_unit");
    return field === undefined ? 0 : this.#source.wholeNumber(field.value, "requests_per_unit", MOST_REQUESTS);
  }

  #replaces(limit: ReadonlyMap<string, Field>, ownName: string): string[] {
    const names: string[] = [];
    for (const node of this.#source.list(limit.get("replaces")?.value, "replaces")) {
      const fields = this.#source.mapping(node, "an entry of replaces", ["name"]);
      const name = fields && this.#filled(fields, node, "name");
      if (name === undefined) continue;
      if (name === ownName) this.#source.wrong(node, "the name of another rate_limit", "its own");
      names.push(name);
    }
    return names;
  }

  #flag(fields: ReadonlyMap<string, Field>, key: string): boolean {
    const field = fields.get(key);
    return field !== undefined && this.#source.flag(field.value, key) === true;
  }

  /** A text that must be there and not be empty. */
  #filled(fields: ReadonlyMap<string, Field>, owner: Node | undefined, key: string): string | undefined {
    const field = fields.get(key);
    if (field === undefined) return this.#source.wrong(owner, `${key}: a text`, "nothing");
    const text = this.#source.text(field.value, key);
    return text === "" ? this.#source.wrong(field.value, `${key}: a text that is not empty`) : text;
  }
}
