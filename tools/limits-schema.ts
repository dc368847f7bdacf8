import type { Shape } from "../packages/tollgate/src/config/file/shape.ts";
import { FILE_SHAPE } from "../packages/tollgate/src/config/file/shapes.ts";

type Schema = Readonly<Record<string, unknown>>;

/** The JSON Schema (draft 2020-12) of a limits file. */
export function limitsSchema(): Schema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A limits file of Tollgate",
    ...schemaOf(FILE_SHAPE),
  };
}

function schemaOf(shape: Shape): Schema {
  switch (shape.kind) {
    case "text":
      return {
        type: "string",
        maxLength: shape.longest,
        ...(shape.pattern !== undefined && { pattern: wholeText(shape.pattern) }),
      };
    case "number":
      return { type: "integer", minimum: shape.least, maximum: shape.most };
    case "words":
      return { enum: shape.words };
    case "flag":
      return { type: "boolean" };
    case "list":
      return { type: "array", minItems: 1, maxItems: shape.most, items: schemaOf(shape.of) };
    case "map":
      return {
        type: "object",
        minProperties: 1,
        propertyNames: schemaOf(shape.key),
        additionalProperties: schemaOf(shape.of),
      };
    case "object":
      return objectSchema(shape);
    case "either":
      return { anyOf: shape.of.map(schemaOf) };
    default:
      return shape satisfies never;
  }
}

function objectSchema({ words, required, others }: Extract<Shape, { kind: "object" }>): Schema {
  const properties = Object.entries(words).map(([word, { of, description }]) => [
    word,
    { description, ...schemaOf(of) },
  ]);
  const patterns = (others ?? []).map(({ key, of }) => [wholeText(key.pattern ?? ""), schemaOf(of)]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(patterns.length > 0 && { patternProperties: Object.fromEntries(patterns) }),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function wholeText(pattern: string): string {
  return `^(?:${pattern})$`;
}
