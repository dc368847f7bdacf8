import type { FuzzReport } from "./fuzz-run.ts";
import type { Input } from "./inputs/input.ts";
import { makeInput } from "./inputs/make-input.ts";
import { SERVICE_NAMES } from "./inputs/service-kinds.ts";

const MOST_CHARACTERS = 400;

/** One line about a run that goes on, or is over. */
export function progressLine({ seconds, inputs, memory, outages }: FuzzReport): string {
  const sum = Object.values(inputs).reduce((total, count) => total + count, 0);
  const kinds = Object.entries(inputs).map(([kind, count]) => `${count} ${kind}`);
  const kept = Object.entries(memory).map(([name, growth]) => `${name} ${growth}`);
  return [
    `${sum.toLocaleString("en")} inputs in ${seconds.toFixed(0)} s, ${(sum / seconds).toFixed(0)} a second`,
    kinds.join(", "),
    `kept: ${kept.join(", ")}`,
    ...(outages === 0 ? [] : [`${outages} times without Redis`]),
  ].join("; ");
}

/** What failed, and how to see it again. */
export function failureText({ seed, services, failure }: FuzzReport): string {
  if (failure === undefined) return "";
  const { reason, underWay, ended } = failure;
  const numbers = [...ended, ...underWay];
  const first = Math.min(...numbers);
  const last = Math.max(...numbers);
  const some = services.length === SERVICE_NAMES.length ? "" : ` --services ${services.join(",")}`;
  const command = `npm run fuzz:service -- --seed ${seed}${some}`;
  return [
    `Failed: ${reason}`,
    "Inputs that were under way, or ended last:",
    ...[...underWay, ...ended.slice(-8)].map(
      (number) => `  ${number}: ${inputText(makeInput(seed, number, services))}`,
    ),
    `Replay these: ${command} --inputs ${first}-${last}`,
    `Replay one: ${command} --inputs NUMBER`,
    `Replay all: ${command}`,
  ].join("\n");
}

/** An input as a person reads it. Its beginning is enough: the seed has the rest. */
function inputText(input: Input): string {
  const text = JSON.stringify(input, (_key, value: unknown) => (isBytes(value) ? escaped(value.data) : value));
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}… (${text.length} characters)` : text;
}

/** What `JSON.stringify` makes of a Buffer. */
function isBytes(value: unknown): value is { readonly data: readonly number[] } {
  return typeof value === "object" && value !== null && "type" in value && value.type === "Buffer";
}

function escaped(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString("latin1");
}
