import { WORDS_FOR_ERRORS } from "../packages/tollgate/src/config/file/shape.ts";
import { FILE_SHAPE } from "../packages/tollgate/src/config/file/shapes.ts";

/** The JSON Schema (draft 2020-12) of a limits file. */
export function limitsSchema(): Readonly<Record<string, unknown>> {
  const shape = JSON.stringify(FILE_SHAPE, (key, value: unknown) => (WORDS_FOR_ERRORS.has(key) ? undefined : value));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A limits file of Tollgate",
    ...(JSON.parse(shape) as object),
  };
}
