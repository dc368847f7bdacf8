import { type ParseArgsConfig, parseArgs } from "node:util";
import { UsageError } from "./usage-error.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
type Parsed<Flags extends Options> = ReturnType<typeof parseArgs<{ options: Flags; allowPositionals: true }>>;

/**
 * Reads the arguments of a command. Strict parsing has errors of several lines, which do not say what was expected and
 * differ between versions of Node.
 *
 * @param expectedOf what the value of a flag has to be, for errors.
 * @throws UsageError for an unknown flag, and for a missing or unexpected value.
 */
export function parseFlags<const Flags extends Options>(
  args: readonly string[],
  options: Flags,
  expectedOf: (flag: string) => string = () => "a value",
): Parsed<Flags> {
  const { tokens, ...parsed } = parseArgs({
    args: [...args],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) {
      const flags = Object.keys(options).map((one) => `--${one}`);
      throw new UsageError(`expected one of ${flags.join(", ")}, got ${JSON.stringify(rawName)}`);
    }
    const takesValue = option.type === "string";
    // A value that begins with a dash could be the next flag.
    const isDashed = inlineValue === false && value.startsWith("-") && value !== "-";
    if (takesValue !== (value === undefined) && !isDashed) continue;
    throw new UsageError(wrongValue(name, takesValue ? expectedOf(name) : "no value", value));
  }
  return parsed;
}

/** One line about the value of a flag. `undefined` is a missing one. */
export function wrongValue(flag: string, expected: string, value: string | undefined): string {
  return `--${flag}: expected ${expected}, got ${value === undefined ? "none" : JSON.stringify(value)}`;
}
