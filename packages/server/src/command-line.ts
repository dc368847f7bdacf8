import { parseArgs } from "node:util";
import { TollgateError } from "tollgate";
import { clientIp, type TrustProxy } from "tollgate/node";
import type { ServiceSettings } from "./service.ts";

/** The command line is not what was expected. The message says so on one line. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What the command line asks for. */
export type Command =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "serve"; readonly settings: ServiceSettings };

/** The flags as `parseArgs` takes them. */
const FLAGS = {
  host: { type: "string" },
  port: { type: "string" },
  capacity: { type: "string" },
  "refill-per-second": { type: "string" },
  "trust-proxy": { type: "string" },
  help: { type: "boolean" },
  version: { type: "boolean" },
} as const;

type Flag = keyof typeof FLAGS;

type NumberFlag = "port" | "capacity" | "refill-per-second";

interface WholeNumbers {
  readonly least: number;
  readonly most: number;
  readonly byDefault: number;
}

const NUMBERS: Readonly<Record<NumberFlag, WholeNumbers>> = {
  port: { least: 0, most: 65_535, byDefault: 3000 },
  capacity: { least: 1, most: Number.MAX_SAFE_INTEGER, byDefault: 10 },
  "refill-per-second": { least: 1, most: Number.MAX_SAFE_INTEGER, byDefault: 1 },
};

/** Loopback: a service listens to the network only if a flag says so. */
const DEFAULT_HOST = "127.0.0.1";

const USAGE =
  "tollgate serve [--port <number>] [--host <address>] [--capacity <number>] [--refill-per-second <number>] " +
  "[--trust-proxy <hops | addresses>]";

/** What `--help` prints. */
export const HELP: string = `Usage: ${USAGE}
       tollgate --help | --version

Serves HTTP and limits each client. A client is an X-API-Key, or else an address.

  GET /       health, and
  GET /ping   share one limit per client: --capacity and --refill-per-second
  GET /test   has its own limit: 3 at once, 1 per second

  --port <number>               0 for any free port (default: ${NUMBERS.port.byDefault})
  --host <address>              where to listen (default: ${DEFAULT_HOST}, this machine only)
  --capacity <number>           requests that a client can make at once (default: ${NUMBERS.capacity.byDefault})
  --refill-per-second <number>  requests that it gets back every second (default: ${NUMBERS["refill-per-second"].byDefault})
  --trust-proxy <hops | list>   the proxies in front: how many, or their addresses and CIDR blocks with commas
                                between them (default: none, X-Forwarded-For is ignored)
  --help                        print this
  --version                     print the version

SIGINT and SIGTERM let requests in flight finish. A second signal ends the process at once.
Exit codes: 0 stopped, 1 the address is not available, 2 the command line is wrong.`;

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
  if (command !== "serve") throw new UsageError(`expected the command serve, got ${JSON.stringify(command)}`);
  if (stray !== undefined) throw new UsageError(`expected only flags after serve, got ${JSON.stringify(stray)}`);
  return { kind: "serve", settings: settingsOf(values) };
}

/** The values as text. */
interface FlagValues {
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly capacity?: string | undefined;
  readonly "refill-per-second"?: string | undefined;
  readonly "trust-proxy"?: string | undefined;
  readonly help?: boolean | undefined;
  readonly version?: boolean | undefined;
}

const GRAMMAR = { options: FLAGS, allowPositionals: true } as const;

/** @throws UsageError for an unknown flag, and for a missing or unexpected value. */
function parseFlags(args: readonly string[]): { readonly values: FlagValues; readonly positionals: readonly string[] } {
  try {
    return parseArgs({ ...GRAMMAR, args: [...args], strict: true });
  } catch (cause) {
    throw new UsageError(describeFault(args) ?? String(cause), { cause });
  }
}

/** The errors of `parseArgs` take several lines, do not say what was expected, and differ between versions of Node. */
function describeFault(args: readonly string[]): string | undefined {
  const { tokens } = parseArgs({ ...GRAMMAR, args: [...args], strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    if (!isFlag(name)) return `expected one of ${listOfFlags()}, got ${JSON.stringify(rawName)}`;
    const takesValue = FLAGS[name].type === "string";
    // Strict parsing refuses a value that begins with a dash: it could be the next flag.
    const isDashed = inlineValue === false && value.startsWith("-") && value !== "-";
    if (takesValue === (value === undefined) || isDashed) return fault(name, value);
  }
  return undefined;
}

function isFlag(name: string): name is Flag {
  return Object.hasOwn(FLAGS, name);
}

function listOfFlags(): string {
  return Object.keys(FLAGS)
    .map((name) => `--${name}`)
    .join(", ");
}

/** `undefined` is a missing value. */
function fault(flag: Flag, value: string | undefined): string {
  return `--${flag}: expected ${expectedBy(flag)}, got ${value === undefined ? "none" : JSON.stringify(value)}`;
}

/** What a flag takes. */
function expectedBy(flag: Flag): string {
  switch (flag) {
    case "host":
      return "an address or a host name";
    case "port":
    case "capacity":
    case "refill-per-second":
      return `a whole number from ${NUMBERS[flag].least} to ${NUMBERS[flag].most}`;
    case "trust-proxy":
      return "a number of hops, or addresses and CIDR blocks, loopback or private, with commas between them";
    case "help":
    case "version":
      return "no value";
    default:
      return flag satisfies never;
  }
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

/** An empty host would mean every interface. */
function hostOf({ host = DEFAULT_HOST }: FlagValues): string {
  if (host.trim() === "") throw new UsageError(fault("host", host));
  return host;
}

function trustOf(text: string | undefined): TrustProxy {
  if (text === undefined) return false;
  const trust = /^\d+$/.test(text.trim()) ? Number(text) : text.split(",").map((part) => part.trim());
  try {
    clientIp({ trustProxy: trust });
  } catch (cause) {
    if (!(cause instanceof TollgateError)) throw cause;
    throw new UsageError(fault("trust-proxy", text), { cause });
  }
  return trust;
}

function numberOf(values: FlagValues, flag: NumberFlag): number {
  const { least, most, byDefault } = NUMBERS[flag];
  const text = values[flag];
  if (text === undefined) return byDefault;
  // Only digits: `Number` also reads "", " 8", "0x10" and "1e3".
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(fault(flag, text));
}
