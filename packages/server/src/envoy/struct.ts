import type { Struct, StructValue } from "./messages.ts";

/** A mapping of a configuration as a `google.protobuf.Struct`. */
export function toStruct(mapping: Readonly<Record<string, unknown>>): Struct {
  return { fields: Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key, toStructValue(value)])) };
}

function toStructValue(value: unknown): StructValue {
  if (typeof value === "number") return { numberValue: value };
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(toStructValue) } };
  if (typeof value === "object" && value !== null) return { structValue: toStruct(value as Record<string, unknown>) };
  return { nullValue: 0 };
}
