import { parseArgs } from "node:util";
import { PLAIN_FLAGS, type PlainFlagName, VALUE_FLAGS, type ValueFlagName } from "./flags.ts";
import { USAGE } from "./help.ts";
import { type FlagTexts, fault, type ServeSettings, settingsOf } from "./serve-settings.ts";
import { UsageError } from "./usage-error.ts";

/** What the command line asks for. */
export type Command =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "serve"; readonly settings: ServeSettings };

/**
 * Reads the arguments that follow the program's name.
 *
 * @throws UsageError saying what was expected and what came.
 */
export function parseCommandLine(args: readonly string[]): Command {
  const { values, positionals } = parseFlags(args);
  if (values.help) return { kind: "help" };
  if (values.version) return { kind: "version" };
  const [command, stray] = positionals;
  if (command === undefined) throw new UsageError(`expected a command, got none; usage: ${USAGE}`);
  if (command !== "serve")
    throw new UsageError(`expected the command serve, check, explain or replay, got ${JSON.stringify(command)}`);
  if (stray !== undefined) throw new UsageError(`expected only flags after serve, got ${JSON.stringify(stray)}`);
  return { kind: "serve", settings: settingsOf(values, values) };
}

type FlagName = ValueFlagName | PlainFlagName;

interface Parsed {
  readonly values: FlagTexts & Readonly<Partial<Record<PlainFlagName, boolean>>>;
  readonly positionals: readonly string[];
}

const OPTIONS = Object.fromEntries([
  ...Object.keys(VALUE_FLAGS).map((name) => [name, { type: "string" as const }]),
  ...Object.keys(PLAIN_FLAGS).map((name) => [name, { type: "boolean" as const }]),
]) as Readonly<Record<FlagName, { readonly type: "string" | "boolean" }>>;

const GRAMMAR = { options: OPTIONS, allowPositionals: true } as const;

/**
 * Strict parsing has errors of several lines, which do not say what was expected and differ between versions of Node.
 *
 * @throws UsageError for an unknown flag, and for a missing or unexpected value.
 */
function parseFlags(args: readonly string[]): Parsed {
  const { tokens, values, positionals } = parseArgs({ ...GRAMMAR, args: [...args], strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    if (!isFlag(name)) throw new UsageError(`expected one of ${listOfFlags()}, got ${JSON.stringify(rawName)}`);
    const takesValue = OPTIONS[name].type === "string";
    // A value that begins with a dash could be the next flag.
    const isDashed = inlineValue === false && value.startsWith("-") && value !== "-";
    if (takesValue === (value === undefined) || isDashed) throw new UsageError(fault(name, value));
  }
  return { values, positionals } as Parsed;
}

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(OPTIONS, name);
}

function listOfFlags(): string {
  return Object.keys(OPTIONS)
    .map((name) => `--${name}`)
    .join(", ");
}
