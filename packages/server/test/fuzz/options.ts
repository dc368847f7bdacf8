import { parseArgs } from "node:util";
import { SERVICE_NAMES, type ServiceName } from "./inputs/service-kinds.ts";

/** What the command is asked for. */
export interface FuzzOptions {
  /** Random by default. */
  readonly seed: number;
  /** How long to run; without end by default. */
  readonly seconds: number;
  /** The numbers of the inputs, for a replay; all by default. */
  readonly first: number;
  readonly last: number;
  /** All by default. */
  readonly services: readonly ServiceName[];
}

/** Parses the arguments of the command. @throws Error when an option is unknown or not a number. */
export function readOptions(args: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string" },
      seconds: { type: "string" },
      minutes: { type: "string" },
      hours: { type: "string" },
      inputs: { type: "string", default: "0-" },
      services: { type: "string", default: SERVICE_NAMES.join(",") },
    },
  });
  const { seed, seconds, minutes, hours, inputs } = values;
  const [first = "", last = ""] = inputs.includes("-") ? inputs.split("-", 2) : [inputs, inputs];
  return {
    seed: seed === undefined ? freshSeed() : numberOf("seed", seed),
    seconds:
      seconds === undefined && minutes === undefined && hours === undefined
        ? Number.POSITIVE_INFINITY
        : numberOf("seconds", seconds ?? "0") +
          60 * numberOf("minutes", minutes ?? "0") +
          3_600 * numberOf("hours", hours ?? "0"),
    first: numberOf("inputs", first),
    last: last === "" ? Number.POSITIVE_INFINITY : numberOf("inputs", last),
    services: values.services.split(",").map(serviceOf),
  };
}

function freshSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}

function serviceOf(text: string): ServiceName {
  const name = SERVICE_NAMES.find((one) => one === text);
  if (name === undefined) throw new Error(`--services: expected ${SERVICE_NAMES.join(", ")}, got ${text}`);
  return name;
}

function numberOf(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() === "" || Number.isNaN(number)) throw new Error(`--${option}: expected a number, got ${text}`);
  return number;
}
