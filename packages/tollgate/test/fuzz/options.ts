import { parseArgs } from "node:util";

export interface FuzzOptions {
  /** To replay one failure: both, or neither. */
  readonly seed: number | undefined;
  readonly path: string | undefined;
  /** Only the properties whose names hold this text. */
  readonly property: string;
  /** When to stop; never by default. */
  readonly seconds: number;
}

/** @throws Error when an option is unknown or no number. */
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
