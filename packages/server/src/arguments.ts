import { TollgateError } from "tollgate";
import { clientIp, type TrustProxy } from "tollgate/node";
import { DEFAULT_HOST, expectedBy, NUMBERS, type NumberFlag } from "./flags.ts";
import { type FlagValues, parseFlags } from "./parse-flags.ts";
import type { ServiceSettings } from "./service.ts";
import { USAGE } from "./usage.ts";
import { UsageError } from "./usage-error.ts";

/** What the command line asks for. */
export type Command =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "serve"; readonly settings: ServiceSettings };

/**
 * Reads the arguments that follow the program's name.
 *
 * @throws UsageError saying what was expected and what came.
 */
export function parseArguments(args: readonly string[]): Command {
  const { values, positionals } = parseFlags(args);
  if (values.help) return { kind: "help" };
  if (values.version) return { kind: "version" };
  const [command, stray] = positionals;
  if (command === undefined) throw new UsageError(`expected a command, got none; usage: ${USAGE}`);
  if (command !== "serve") throw new UsageError(`expected the command serve, got ${JSON.stringify(command)}`);
  if (stray !== undefined) throw new UsageError(`expected only flags after serve, got ${JSON.stringify(stray)}`);
  return { kind: "serve", settings: settingsOf(values) };
}

function settingsOf(values: FlagValues): ServiceSettings {
  return {
    host: hostOf(values),
    port: numberOf(values, "port"),
    capacity: numberOf(values, "capacity"),
    refillPerSecond: numberOf(values, "refill-per-second"),
    trustProxy: trustOf(values["trust-proxy"]),
  };
}

/** No host at all would mean every interface. */
function hostOf({ host = DEFAULT_HOST }: FlagValues): string {
  if (host.trim() === "") throw new UsageError(`--host: expected ${expectedBy("host")}, got ${JSON.stringify(host)}`);
  return host;
}

/** Nobody is trusted unless told. */
function trustOf(text: string | undefined): TrustProxy {
  if (text === undefined) return false;
  const trust = /^\d+$/.test(text.trim()) ? Number(text) : text.split(",").map((part) => part.trim());
  try {
    clientIp({ trustProxy: trust });
  } catch (cause) {
    if (!(cause instanceof TollgateError)) throw cause;
    const got = JSON.stringify(text);
    throw new UsageError(`--trust-proxy: expected ${expectedBy("trust-proxy")}, got ${got}`, { cause });
  }
  return trust;
}

function numberOf(values: FlagValues, flag: NumberFlag): number {
  const { least, most, byDefault } = NUMBERS[flag];
  const text = values[flag];
  if (text === undefined) return byDefault;
  // Digits alone: Number() also reads "", " 8", "0x10" and "1e3".
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`--${flag}: expected ${expectedBy(flag)}, got ${JSON.stringify(text)}`);
}
