import { type ParseArgsConfig, parseArgs } from "node:util";
import { UsageError } from "./usage-error.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
type Parsed<Flags extends Options> = ReturnType<typeof parseArgs<{ options: Flags; allowPositionals: true }>>;

/**
 * Reads the arguments of a command.
 *
 * @throws UsageError for a flag that it does not have.
 */
export function parseFlags<const Flags extends Options>(
  command: string,
  args: readonly string[],
  options: Flags,
  usage: string,
): Parsed<Flags> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (cause) {
    const [message = ""] = (cause as Error).message.split(/[.\n]/);
    throw new UsageError(`${command}: ${message}; usage: ${usage}`, { cause });
  }
}
