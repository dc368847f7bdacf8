import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";

interface Operation {
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: object }>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export const description: Description = parse(
  readFileSync(new URL("../../../../docs/openapi-admin.yaml", import.meta.url), "utf8"),
) as Description;

const schemas = new Ajv2020({ strict: false }).addSchema(description, "openapi");

export const NO_FAULTS: readonly unknown[] = [];
const BODY = "content/application~1json/schema";

/** What is wrong with a value by a schema of the description. A part may be a reference to a component. */
export function faults(pointer: string, value: unknown): unknown {
  const validate = schemas.getSchema(`openapi#${resolved(pointer)}/${BODY}`);
  if (validate === undefined) throw new Error(`${pointer}: expected a schema`);
  return validate(value) === true ? NO_FAULTS : [value, validate.errors];
}

function resolved(pointer: string): string {
  const parts = pointer.split("/").slice(1);
  let at: unknown = description;
  for (const part of parts) at = (at as Record<string, unknown>)[part.replaceAll("~1", "/")];
  const { $ref } = at as { $ref?: string };
  return $ref === undefined ? pointer : $ref.slice(1);
}

export function pointerOf(path: string, method: string): string {
  return `/paths/${path.replaceAll("/", "~1")}/${method}`;
}
