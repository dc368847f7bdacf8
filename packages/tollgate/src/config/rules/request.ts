import { optionError } from "../../core/check-options.ts";
import type { Key } from "../../core/key.ts";
import { addValue, cookiesOf, MOST_VALUES } from "../../http/identity/cookie.ts";
import { LONGEST_PLAIN, percentDecoded, shortValue } from "../../http/identity/header-values.ts";
import type { ClientAddresses } from "./client-addresses.ts";
import type { Fact } from "./fact.ts";
import { checkFacts, type Facts, headerOf, linesOf, valuesOf } from "./facts.ts";
import { NO_PATH, pathText, type ReadPath, readPath } from "./path-readings.ts";
import { bitsOfClient, type ClientAddress, keyOfAddress, keyOfClient } from "./request-address.ts";

/** What a request has for a fact. Each takes time that grows with what the client has sent. */
interface Value {
  /** Several values are joined, as those of a header are. */
  readonly text: string;
  /** What an application may read: one of several values, or all of them. `undefined` if these are not known. */
  readonly readings: readonly string[] | undefined;
  part: string | undefined;
}

type Values = ReadonlyMap<string, readonly string[]>;

/** The facts of a request, each read once, when a rule first asks for it. */
export class Request {
  readonly #facts: Facts;
  readonly #ignoreCase: boolean;
  readonly #clients: ClientAddresses;
  #path: ReadPath | undefined;
  #client: ClientAddress | undefined;
  /** Each rule by address asks for it. */
  #addressKey: string | undefined;
  #query: Values | undefined;
  #cookies: Values | undefined;
  #values: Map<string, Value> | undefined;

  /** @throws TollgateError `ERR_OPTION` for what cannot be facts. */
  constructor(facts: Facts, ignoreCase: boolean, clients: ClientAddresses) {
    checkFacts(facts);
    this.#facts = facts;
    this.#ignoreCase = ignoreCase;
    this.#clients = clients;
  }

  get path(): ReadPath {
    if (this.#path === undefined) {
      const path = this.#givenPath;
      this.#path = path === undefined ? NO_PATH : readPath(path, this.#ignoreCase);
    }
    return this.#path;
  }

  get #givenPath(): string | undefined {
    const { path } = this.#facts;
    if (path === undefined || typeof path === "string") return path;
    throw optionError("facts.path", "the path as text", path);
  }

  get #address(): ClientAddress {
    this.#client ??= this.#clients.of(this.#facts);
    return this.#client;
  }

  get #keyOfAddress(): string {
    this.#addressKey ??= keyOfClient(this.#address);
    return this.#addressKey;
  }

  /** A fact as text, `""` if it is missing. An address is never missing. */
  read(fact: Fact): string {
    return fact.kind === "ip" ? this.#keyOfAddress : this.#valueOf(fact).text;
  }

  /** Whether a rule by this fact does not count the request. Clients may hide a value behind an empty one. */
  isMissing(fact: Fact): boolean {
    if (fact.kind === "ip") return false;
    const { text, readings } = this.#valueOf(fact);
    return text === "" && readings?.length === 1;
  }

  /** What an application may read of a fact: of an address its bits. `undefined` if that may be anything. */
  readingsOf(fact: Fact): readonly string[] | undefined {
    return this.#valueOf(fact).readings;
  }

  /** Whether a fact has several values, of which the application may read any. */
  isRepeated(fact: Fact): boolean {
    return fact.kind !== "ip" && this.#valueOf(fact).readings?.length !== 1;
  }

  #valueOf(fact: Fact): Value {
    this.#values ??= new Map();
    let value = this.#values.get(fact.id);
    if (value === undefined) {
      value = this.#readValue(fact);
      this.#values.set(fact.id, value);
    }
    return value;
  }

  #readValue(fact: Fact): Value {
    const facts = this.#facts;
    switch (fact.kind) {
      case "ip":
        return valueFrom([bitsOfClient(this.#address)]);
      case "method":
        // Some frameworks take `post` for `POST`.
        return valueFrom([(facts.method ?? "").toUpperCase()]);
      case "path":
        return valueFrom([this.path === NO_PATH ? "" : pathText(this.path.readings[0]!)]);
      case "host":
        return facts.host === undefined ? this.#readHeader("host", hostName) : valueFrom([hostName(facts.host)]);
      case "header":
        return this.#readHeader(fact.name, (line) => line);
      case "query":
        if (facts.query !== undefined) return valueFrom(valuesOf(facts.query, fact.name, "query"));
        this.#query ??= queryOf(facts.target ?? this.#givenPath ?? "");
        return valueFrom(this.#query.get(fact.name));
      case "cookie":
        if (facts.cookie !== undefined) return valueFrom(valuesOf(facts.cookie, fact.name, "cookie"));
        this.#cookies ??= cookiesOf(this.#cookieHeader);
        return valueFrom(this.#cookies.get(fact.name)?.map(percentDecoded));
      case "descriptor":
        return valueFrom(facts.descriptor === undefined ? [] : valuesOf(facts.descriptor, fact.name, "descriptor"));
      default:
        return fact satisfies never;
    }
  }

  #readHeader(name: string, read: (line: string) => string): Value {
    const text = read(this.#header(name));
    const lines = linesOf(this.#facts, name) ?? [];
    if (lines === "dropped") return { text, readings: undefined, part: undefined };
    return valueFrom(lines.length > 1 ? lines.map(read) : [text]);
  }

  /** Browsers send a line for each cookie over HTTP/2. */
  get #cookieHeader(): string {
    const lines = linesOf(this.#facts, "cookie");
    return typeof lines === "object" ? lines.join("; ") : this.#header("cookie");
  }

  /** The key of these facts, of which none is missing. Without facts, all requests have one key. */
  keyOf(facts: readonly Fact[]): Key {
    const [first] = facts;
    if (first === undefined) return EVERY_REQUEST;
    return facts.length === 1 ? this.#partOf(first) : facts.map((fact) => this.#partOf(fact));
  }

  #partOf(fact: Fact): string {
    if (fact.kind === "ip") return this.#keyOfAddress;
    const value = this.#valueOf(fact);
    value.part ??= value.readings?.length === 1 ? shortValue(value.text) : SEVERAL_VALUES;
    return value.part;
  }

  #header(name: string): string {
    return headerOf(this.#facts, name) ?? "";
  }
}

function valueFrom(values: readonly string[] = []): Value {
  const text = values.join(", ");
  const readings = values.length > 1 ? [text, ...values] : [text];
  return { text, readings: values.length > MOST_VALUES ? undefined : readings, part: undefined };
}

/** The key of all requests with several values of a fact: with keys of their own, they would never exhaust a limit. */
const SEVERAL_VALUES = "several values";

/** The key of a rule without `by`. */
export const EVERY_REQUEST = "all";

/** The text under which requests with a fact are counted. A text that is such a one already stays as it is. */
export function countedText({ kind }: Fact, text: string): string {
  switch (kind) {
    case "ip":
      return keyOfAddress(text) ?? text;
    case "method":
      return text.toUpperCase();
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

function queryOf(target: string): Values {
  const values = new Map<string, string[]>();
  const mark = target.indexOf("?");
  if (mark < 0) return values;
  for (const [name, value] of new URLSearchParams(target.slice(mark + 1).split("#", 1)[0])) {
    addValue(values, name, value);
  }
  return values;
}
