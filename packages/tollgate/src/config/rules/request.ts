import type { Key } from "../../core/key.ts";
import type { Address } from "../../http/identity/address.ts";
import { cookiesOf, valueIn } from "../../http/identity/cookie.ts";
import { hasSeveralLines, LONGEST_PLAIN, shortValue } from "../../http/identity/header-values.ts";
import type { ClientAddresses } from "./client-addresses.ts";
import type { Fact } from "./fact.ts";
import { type Facts, headerOf, type NamedValues, namedValue } from "./facts.ts";
import { NO_PATH, pathText, type ReadPath, readPath } from "./path-readings.ts";
import { keyOfAddress, type RequestAddress } from "./request-address.ts";

/** What a request has for a fact. Each takes time that grows with what the client has sent. */
interface Value {
  readonly text: string;
  isRepeated: boolean | undefined;
  part: string | undefined;
}

/** The facts of a request, each read once, when a rule first asks for it. */
export class Request {
  readonly #facts: Facts;
  readonly #ignoreCase: boolean;
  readonly #clients: ClientAddresses;
  #path: ReadPath | undefined;
  #address: RequestAddress | undefined;
  #query: NamedValues | undefined;
  #cookies: ReadonlyMap<string, string> | undefined;
  #values: Map<string, Value> | undefined;

  constructor(facts: Facts, ignoreCase: boolean, clients: ClientAddresses) {
    this.#facts = facts;
    this.#ignoreCase = ignoreCase;
    this.#clients = clients;
  }

  get path(): ReadPath {
    if (this.#path === undefined) {
      const { path } = this.#facts;
      this.#path = typeof path === "string" ? readPath(path, this.#ignoreCase) : NO_PATH;
    }
    return this.#path;
  }

  /** The address as bits. */
  get address(): Address | undefined {
    return this.#requestAddress.parsed;
  }

  get #requestAddress(): RequestAddress {
    this.#address ??= this.#clients.of(this.#facts);
    return this.#address;
  }

  /** A fact as text, `""` if it is missing. An address is never missing. */
  read(fact: Fact): string {
    return fact.kind === "ip" ? this.#requestAddress.key : this.#valueOf(fact).text;
  }

  #valueOf(fact: Fact): Value {
    this.#values ??= new Map();
    let value = this.#values.get(fact.id);
    if (value === undefined) {
      value = { text: this.#textOf(fact), isRepeated: undefined, part: undefined };
      this.#values.set(fact.id, value);
    }
    return value;
  }

  #textOf(fact: Fact): string {
    const facts = this.#facts;
    switch (fact.kind) {
      case "ip":
        return this.#requestAddress.key;
      case "method":
        return facts.method ?? "";
      case "path":
        return this.path === NO_PATH ? "" : pathText(this.path.readings[0]!);
      case "host":
        return hostName(facts.host ?? this.#header("host"));
      case "header":
        return this.#header(fact.name);
      case "query":
        return namedValue(facts.query ?? this.#queryOfPath, fact.name);
      case "cookie":
        if (facts.cookie !== undefined) return namedValue(facts.cookie, fact.name);
        this.#cookies ??= cookiesOf(this.#header("cookie"));
        return valueIn(this.#cookies, fact.name);
      case "descriptor":
        return facts.descriptor === undefined ? "" : namedValue(facts.descriptor, fact.name);
      default:
        return fact satisfies never;
    }
  }

  /** Whether a fact is a header with several lines, of which the application may read any. */
  isRepeated(fact: Fact): boolean {
    if (fact.kind !== "header") return false;
    const value = this.#valueOf(fact);
    value.isRepeated ??= this.#hasSeveralLines(fact.name);
    return value.isRepeated;
  }

  #hasSeveralLines(name: string): boolean {
    const { header } = this.#facts;
    const lines = typeof header === "object" ? header[name] : undefined;
    return typeof lines === "object" ? lines.length > 1 : hasSeveralLines(this.#facts, name);
  }

  /** The key of these facts; `undefined` if one is missing. Without facts, all requests have one key. */
  keyOf(facts: readonly Fact[]): Key | undefined {
    const [first] = facts;
    if (first === undefined) return EVERY_REQUEST;
    if (facts.length === 1) return this.#partOf(first) || undefined;
    const parts: string[] = [];
    for (const fact of facts) {
      const part = this.#partOf(fact);
      if (part === "") return undefined;
      parts.push(part);
    }
    return parts;
  }

  #partOf(fact: Fact): string {
    if (fact.kind === "ip") return this.#requestAddress.key;
    const value = this.#valueOf(fact);
    value.part ??= this.isRepeated(fact) ? SEVERAL_LINES : shortValue(value.text);
    return value.part;
  }

  #header(name: string): string {
    return headerOf(this.#facts, name) ?? "";
  }

  get #queryOfPath(): NamedValues {
    this.#query ??= queryOf(this.#facts.target ?? this.#facts.path ?? "");
    return this.#query;
  }
}

/** The key of all requests with several lines of a header: with keys of their own, they would never exhaust a limit. */
const SEVERAL_LINES = "several lines";

/** The key of a rule without `by`. */
export const EVERY_REQUEST = "all";

/** The text under which requests with a fact are counted. A text that is such a one already stays as it is. */
export function countedText({ kind }: Fact, text: string): string {
  switch (kind) {
    case "ip":
      return keyOfAddress(text) ?? text;
    case "host":
      return hostName(text);
    default:
      // What was shortened before begins with the name of the hash.
      return text.length > LONGEST_PLAIN ? shortValue(text) : text;
  }
}

/** In lower case, without a port and without the dot of a complete name. */
function hostName(host: string): string {
  const lower = host.toLowerCase();
  const end = lower.startsWith("[") ? lower.indexOf("]") + 1 : lower.indexOf(":");
  const name = end > 0 ? lower.slice(0, end) : lower;
  return name.endsWith(".") ? name.slice(0, -1) : name;
}

function queryOf(target: string): NamedValues {
  const mark = target.indexOf("?");
  if (mark < 0) return {};
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(target.slice(mark + 1).split("#", 1)[0])) {
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return (name) => values.get(name);
}
