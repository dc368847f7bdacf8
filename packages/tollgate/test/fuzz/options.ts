import { parseArgs } from "node:util";

export interface FuzzOptions {
  /** Set together with `path`, to replay one failure. */
  readonly seed: number | undefined;
  readonly path: string | undefined;
  /** Runs only the properties whose names contain this text. */
  readonly property: string;
  /** How long to run; without end by default. */
  readonly seconds: number;
}

/** Parses the arguments of the command. @throws Error when an option is unknown or not a number. */
export function readOptions(args: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string" },
      path: { type: "string" },
      property: { type: "string", default: "" },
      seconds: { type: "string", default: "Infinity" },
    },
  });
  const { seed, path, property, seconds } = values;
  if ((seed === undefined) !== (path === undefined)) throw new Error("--seed and --path: expected both, or neither");
  return {
    seed: seed === undefined ? undefined : numberOf("seed", seed),
    path,
    property,
    seconds: numberOf("seconds", seconds),
  };
}

function numberOf(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() === "" || Number.isNaN(number)) throw new Error(`--${option}: expected a number, got ${text}`);
  return number;
}
