import { parseArgs } from "node:util";
import { expectedBy, FLAGS, isFlag } from "./flags.ts";
import { UsageError } from "./usage-error.ts";

/** The flags that were given, as text. */
export interface FlagValues {
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly capacity?: string | undefined;
  readonly "refill-per-second"?: string | undefined;
  readonly "trust-proxy"?: string | undefined;
  readonly help?: boolean | undefined;
  readonly version?: boolean | undefined;
}

interface ParsedFlags {
  readonly values: FlagValues;
  readonly positionals: readonly string[];
}

const GRAMMAR = { options: FLAGS, allowPositionals: true } as const;

/** @throws UsageError for an unknown flag, and for a value that is missing or not wanted. */
export function parseFlags(args: readonly string[]): ParsedFlags {
  try {
    return parseArgs({ ...GRAMMAR, args: [...args], strict: true });
  } catch (cause) {
    throw new UsageError(describeFault(args) ?? String(cause), { cause });
  }
}

/** `parseArgs` refuses in several lines that never say what was expected, and in others in other versions of Node. */
function describeFault(args: readonly string[]): string | undefined {
  const { tokens } = parseArgs({ ...GRAMMAR, args: [...args], strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    if (!isFlag(name)) return `expected one of ${listOfFlags()}, got ${JSON.stringify(rawName)}`;
    const takesValue = FLAGS[name].type === "string";
    // A value that begins with a dash could be a flag whose forerunner lacks its value: strict parsing refuses it.
    const isDashed = inlineValue === false && value.startsWith("-") && value !== "-";
    if (takesValue === (value === undefined) || isDashed) return fault(name, value);
  }
  return undefined;
}

function fault(name: Parameters<typeof expectedBy>[0], value: string | undefined): string {
  return `--${name}: expected ${expectedBy(name)}, got ${value === undefined ? "none" : JSON.stringify(value)}`;
}

function listOfFlags(): string {
  return Object.keys(FLAGS)
    .map((name) => `--${name}`)
    .join(", ");
}
