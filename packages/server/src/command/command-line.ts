import { mapValues } from "../limits/map-values.ts";
import { PLAIN_FLAGS, VALUE_FLAGS, type ValueFlagName } from "./flags.ts";
import { USAGE } from "./help.ts";
import { parseFlags } from "./parse-flags.ts";
import { type ServeSettings, settingsOf } from "./serve-settings.ts";
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
  const { values, positionals } = parseFlags(args, OPTIONS, (name) => VALUE_FLAGS[name as ValueFlagName].expected);
  if (values.help) return { kind: "help" };
  if (values.version) return { kind: "version" };
  const [command, stray] = positionals;
  if (command === undefined) throw new UsageError(`expected a command, got none; usage: ${USAGE}`);
  if (command !== "serve")
    throw new UsageError(`expected the command serve, check, explain or replay, got ${JSON.stringify(command)}`);
  if (stray !== undefined) throw new UsageError(`expected only flags after serve, got ${JSON.stringify(stray)}`);
  return { kind: "serve", settings: settingsOf(values, values) };
}

const OPTIONS = {
  ...withType(VALUE_FLAGS, "string"),
  ...withType(PLAIN_FLAGS, "boolean"),
};

function withType<Name extends string, Type extends "string" | "boolean">(
  flags: Readonly<Record<Name, unknown>>,
  type: Type,
): Record<Name, { readonly type: Type }> {
  return mapValues(flags, () => ({ type })) as Record<Name, { readonly type: Type }>;
}
