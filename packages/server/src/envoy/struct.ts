import type { Struct, StructValue } from "./messages.ts";

/** A mapping of a configuration as a `google.protobuf.Struct`. */
export function toStruct(mapping: Readonly<Record<string, unknown>>): Struct {
  return { fields: Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key, toStructValue(value)])) };
}

/** The mapping of a `google.protobuf.Struct`, as its JSON has it. */
export function fromStruct({ fields }: Struct): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, fromStructValue(value)]));
}

function fromStructValue(value: StructValue): unknown {
  if ("nullValue" in value) return null;
  if ("numberValue" in value) return value.numberValue;
  if ("stringValue" in value) return value.stringValue;
  if ("boolValue" in value) return value.boolValue;
  if ("listValue" in value) return value.listValue.values.map(fromStructValue);
  return fromStruct(value.structValue);
}

function toStructValue(value: unknown): StructValue {
  if (typeof value === "number") return { numberValue: value };
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(toStructValue) } };
  if (typeof value === "object" && value !== null) return { structValue: toStruct(value as Record<string, unknown>) };
  return { nullValue: 0 };
}
