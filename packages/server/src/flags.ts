/** What `parseArgs` is told of the flags. */
export const FLAGS = {
  host: { type: "string" },
  port: { type: "string" },
  capacity: { type: "string" },
  "refill-per-second": { type: "string" },
  "trust-proxy": { type: "string" },
  help: { type: "boolean" },
  version: { type: "boolean" },
} as const;

export type Flag = keyof typeof FLAGS;

export type NumberFlag = "port" | "capacity" | "refill-per-second";

interface WholeNumbers {
  readonly least: number;
  readonly most: number;
  readonly byDefault: number;
}

export const NUMBERS: Readonly<Record<NumberFlag, WholeNumbers>> = {
  port: { least: 0, most: 65_535, byDefault: 3000 },
  capacity: { least: 1, most: Number.MAX_SAFE_INTEGER, byDefault: 10 },
  "refill-per-second": { least: 1, most: Number.MAX_SAFE_INTEGER, byDefault: 1 },
};

/** Loopback: a service is open to the network only where somebody said so. */
export const DEFAULT_HOST = "127.0.0.1";

export function isFlag(name: string): name is Flag {
  return Object.hasOwn(FLAGS, name);
}

/** What a flag takes, as errors say it. */
export function expectedBy(flag: Flag): string {
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
