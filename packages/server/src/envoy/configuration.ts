import { type NoteMistake, parseYaml } from "tollgate/config";
import * as yaml from "yaml";
import type { FileText } from "../files/read-texts.ts";
import { excerpt } from "../http/excerpt.ts";
import {
  asFields,
  asFlag,
  asText,
  type Fail,
  isObject,
  listOf,
  oneOf,
  optional,
  orElse,
  type Reader,
  type Words,
  wholeNumber,
} from "../http/readers.ts";
import { ENVOY_YAML } from "../limits/is-envoy.ts";
import type { Compiled } from "../limits/limits-files.ts";
import { readEach } from "../limits/read-each.ts";
import { shownValue } from "../log/client-name.ts";
import { DescriptorTree } from "./descriptor-tree.ts";
import { makeRule, type RuleOptions } from "./rule.ts";
import { UNIT_NAMES, type Unit } from "./units.ts";

/** The limits of all domains. Never changes: a reload makes another. */
export type Configuration = ReadonlyMap<string, DescriptorTree>;

/** What a file says, as plain data. */
interface DomainWords {
  readonly domain: string;
  readonly descriptors: readonly DescriptorWords[];
}

/** What files say. */
export type ConfigurationWords = readonly DomainWords[];

type RuleWords = Omit<RuleOptions, "path">;

interface DescriptorWords {
  readonly key: string;
  /** Empty without a value. */
  readonly value: string;
  /** Whether all values of a wildcard share one count. */
  readonly shared: boolean;
  readonly rule: RuleWords | undefined;
  readonly descriptors: readonly DescriptorWords[];
}

/**
 * Reads files of Envoy's reference service (envoyproxy/ratelimit). A mistake in one file leaves no configuration at
 * all.
 */
export function readWords(texts: readonly FileText[]): Compiled<ConfigurationWords> {
  const owners = new Map<string, string>();
  const { read, mistakes } = readEach(texts, (content, file) =>
    parseYaml(content, {
      file,
      yaml,
      ...ENVOY_YAML,
      read: (value, note) => readDomain(value, failBy(note), owners, file),
    }),
  );
  return mistakes.length === 0 ? { value: read.map(({ value }) => value) } : { mistakes };
}

function failBy(note: NoteMistake): Fail {
  return (words, expected, got, field) => {
    const message = `expected ${expected}, got ${excerpt(got)}`;
    if (field === undefined) note(words, message);
    else note([...words, field], message, "key");
    return undefined as never;
  };
}

/** `owners` has the file of each domain. */
function readDomain(value: unknown, fail: Fail, owners: Map<string, string>, file: string): DomainWords {
  const words = domainFields(value, [], fail);
  const owner = owners.get(words?.domain);
  if (owner !== undefined) fail(["domain"], `a domain that ${owner} does not have`, words.domain);
  else owners.set(words?.domain, file);
  return words;
}

export function compileWords(words: ConfigurationWords): Configuration {
  return new Map(words.map(({ domain, descriptors }) => [domain, treeOf(descriptors, domain)]));
}

/** Keys whose values no client makes up. Others may be secrets. */
const OPEN_KEYS: ReadonlySet<string> = new Set([
  "generic_key",
  "header_match",
  "query_match",
  "source_cluster",
  "destination_cluster",
  "path",
  "method",
]);

function treeOf(descriptors: readonly DescriptorWords[], parent: string): DescriptorTree {
  const tree = new DescriptorTree();
  for (const { key, value, shared, rule, descriptors: below } of descriptors) {
    const shown = OPEN_KEYS.has(key) ? value : shownValue(value);
    const path = `${parent}.${key}${shown === "" ? "" : `_${shown}`}`;
    const children = treeOf(below, path);
    tree.add(key, value, { rule: rule && makeRule({ path, ...rule }), shared, children });
  }
  return tree;
}

const filled: Reader<string> = (value, words, fail) =>
  value === "" ? fail(words, "a text that is not empty", value) : asText(value, words, fail);

const asUnit: Reader<Unit> = (value, words, fail) =>
  oneOf(UNIT_NAMES)(typeof value === "string" ? value.toLowerCase() : value, words, fail);

const off = orElse(asFlag, false);
const map: Reader<Readonly<Record<string, unknown>>> = (value, words, fail) =>
  isObject(value) ? value : fail(words, "an object", value);

const limitFields = asFields({
  unit: optional(asUnit),
  // Without it the limit is 0, as in Envoy's service: it denies.
  requests_per_unit: orElse(wholeNumber(2 ** 32 - 1), 0),
  unlimited: off,
  name: orElse(asText, ""),
  replaces: orElse(listOf(asFields({ name: filled })), []),
});

const rateLimit: Reader<RuleWords> = (value, words, fail) => {
  const limit = limitFields(value, words, fail);
  if (limit === undefined) return limit;
  const { unit, requests_per_unit: requestsPerUnit, unlimited, name } = limit;
  if (unlimited && unit !== undefined) fail([...words, "unit"], "no unit beside unlimited: true", unit);
  // What is wrong was told already.
  const isTold = unlimited === undefined || (isObject(value) && value["unit"] != null);
  if (!unlimited && unit === undefined && !isTold) fail(words, "a unit or unlimited: true", value);
  const replaces = (limit.replaces ?? []).map((other) => other?.name);
  const own = replaces.indexOf(name);
  if (own >= 0) fail([...words, "replaces", own], "the name of another rate_limit", name);
  return { name, unlimited, replaces, ...(unit !== undefined && { unit, requestsPerUnit }) };
};

const asDescriptors: Reader<readonly DescriptorWords[]> = (value, words, fail) => {
  if (value == null) return [];
  const found = listOf(asDescriptor)(value, words, fail);
  checkUnique(found ?? [], words, fail);
  return found;
};

const descriptorFields = asFields({
  key: filled,
  value: orElse(asText, ""),
  rate_limit: optional(rateLimit),
  descriptors: asDescriptors,
  shadow_mode: off,
  // They change the names of statistics in Envoy's service, which this one does not have.
  detailed_metric: off,
  value_to_metric: off,
  share_threshold: off,
  quota_mode: off,
  metadata: optional(map),
});

function asDescriptor(value: unknown, words: Words, fail: Fail): DescriptorWords {
  const found = descriptorFields(value, words, fail);
  if (found === undefined) return found;
  const { key, value: own, share_threshold: shared, shadow_mode: shadow, quota_mode: quota, metadata } = found;
  if (shared && !own.includes("*")) fail([...words, "share_threshold"], "a value with * beside it", own);
  const rule = found.rate_limit && { ...found.rate_limit, shadow, quota, metadata };
  return { key, value: own, shared, rule, descriptors: found.descriptors };
}

const domainFields = asFields({ domain: filled, descriptors: asDescriptors });

function checkUnique(descriptors: readonly DescriptorWords[], words: Words, fail: Fail): void {
  const seen = new Set<string>();
  for (const [i, descriptor] of descriptors.entries()) {
    // One that is wrong was told already.
    if (descriptor?.key === undefined) continue;
    const { key, value } = descriptor;
    const id = JSON.stringify([key, value]);
    if (seen.has(id)) fail([...words, i], "another key or value than a descriptor before", { key, value });
    seen.add(id);
  }
}
