/** A sample as a scraper reads it. */
export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly ParsedSample[];
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const HELP_LINE = new RegExp(`^# HELP (${NAME}) (.*)$`);
const TYPE_LINE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary)$`);
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const SAMPLE_LINE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (\\S+)$`);
/** Parsers of Prometheus accept `Nan`, which prom-client writes. */
const NUMBER = /^(?:[+-]?Inf|Na[Nn]|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)$/;

/**
 * Parses an exposition, and refuses all that the text format 0.0.4 (prometheus.io) forbids. It is stricter than
 * scrapers are: metadata stands before the samples, in one order.
 */
export function parseExposition(text: string): ParsedFamily[] {
  const lines = linesOf(text);
  const families: ParsedFamily[] = [];
  const seen = new Set<string>();
  let at = 0;
  while (at < lines.length) {
    const [, name, help = ""] = match(HELP_LINE, lines[at], "# HELP");
    const [, typed, type = ""] = match(TYPE_LINE, lines[at + 1], "# TYPE");
    if (typed !== name || name === undefined) throw new Error(`# TYPE of ${typed} follows # HELP of ${name}`);
    if (seen.has(name)) throw new Error(`${name}: a second time`);
    seen.add(name);
    at += 2;
    const samples: ParsedSample[] = [];
    for (; at < lines.length && !lines[at]!.startsWith("#"); at += 1) samples.push(sampleOf(lines[at]!));
    const family = { name, help: unescapedHelp(help), type, samples };
    checkFamily(family);
    families.push(family);
  }
  return families;
}

function linesOf(text: string): string[] {
  if (text.includes("\r")) throw new Error("a carriage return");
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  // Empty lines are ignored.
  const lines = text.split("\n").filter((line) => line !== "");
  const odd = lines.find((line) => line !== line.trim());
  if (odd !== undefined) throw new Error(`unexpected line ${JSON.stringify(odd)}`);
  return lines;
}

function match(pattern: RegExp, line: string | undefined, what: string): RegExpExecArray {
  const found = pattern.exec(line ?? "");
  if (found === null) throw new Error(`expected ${what}, got ${JSON.stringify(line)}`);
  return found;
}

function sampleOf(line: string): ParsedSample {
  const [, name = "", list, number = ""] = match(SAMPLE_LINE, line, "a sample");
  if (!NUMBER.test(number)) throw new Error(`expected a number, got ${JSON.stringify(line)}`);
  const labels: Record<string, string> = {};
  for (const [, label = "", value = ""] of (list ?? "").matchAll(/([a-zA-Z0-9_]+)="((?:[^"\\]|\\.)*)"/g)) {
    if (Object.hasOwn(labels, label)) throw new Error(`a label twice: ${line}`);
    labels[label] = unescaped(value);
  }
  return { name, labels, value: Number(number.replace("Inf", "Infinity")) };
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(["\\n])/g, (_whole, character: string) => (character === "n" ? "\n" : character));
}

/** Quotes of a help are not escaped. */
function unescapedHelp(help: string): string {
  if (/\\(?![\\n])/.test(help.replaceAll("\\\\", ""))) throw new Error(`help not escaped as it should be: ${help}`);
  return unescaped(help);
}

function checkFamily(family: ParsedFamily): void {
  const sets = new Set<string>();
  for (const sample of family.samples) {
    const set = `${sample.name} ${JSON.stringify(sortedLabels(sample))}`;
    if (sets.has(set)) throw new Error(`a series twice: ${set}`);
    sets.add(set);
    checkSample(family, sample);
  }
  if (family.type === "histogram") checkHistogram(family);
}

function sortedLabels({ labels }: ParsedSample): [string, string][] {
  return Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
}

function checkSample({ name, type }: ParsedFamily, sample: ParsedSample): void {
  const names = namesOf(name, type);
  if (!names.includes(sample.name)) throw new Error(`expected one of ${names}, got ${sample.name}`);
  const grows = type === "counter" || type === "histogram";
  if (grows && !(sample.value >= 0)) throw new Error(`${sample.name} is ${sample.value}`);
  const { le } = sample.labels;
  if ((le !== undefined) !== sample.name.endsWith("_bucket")) throw new Error(`${sample.name} with le ${le}`);
}

function namesOf(name: string, type: string): string[] {
  switch (type) {
    case "histogram":
      return [`${name}_bucket`, `${name}_sum`, `${name}_count`];
    case "summary":
      return [name, `${name}_sum`, `${name}_count`];
    default:
      return [name];
  }
}

/** Buckets count up to +Inf, which has all observations, and the three kinds of samples stand together. */
function checkHistogram({ name, samples }: ParsedFamily): void {
  let buckets: ParsedSample[] = [];
  for (const sample of samples) {
    if (sample.name === `${name}_bucket`) buckets.push(sample);
    if (sample.name !== `${name}_count`) continue;
    const bounds = buckets.map(({ labels }) => Number(labels["le"]?.replace("Inf", "Infinity")));
    const counts = buckets.map(({ value }) => value);
    const ascends = (list: readonly number[]) => list.every((value, index) => index === 0 || value >= list[index - 1]!);
    if (!(ascends(bounds) && new Set(bounds).size === bounds.length)) throw new Error(`${name}: bounds ${bounds}`);
    if (!ascends(counts) || bounds.at(-1) !== Number.POSITIVE_INFINITY || counts.at(-1) !== sample.value) {
      throw new Error(`${name}: buckets ${counts} of ${sample.value}`);
    }
    const sets = new Set(buckets.map(({ labels: { le: _le, ...rest } }) => JSON.stringify(rest)));
    if (sets.size !== 1 || !sets.has(JSON.stringify(sample.labels))) throw new Error(`${name}: series are mixed`);
    buckets = [];
  }
  if (buckets.length > 0) throw new Error(`${name}: buckets without a count`);
}
