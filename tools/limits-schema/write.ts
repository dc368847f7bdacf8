/** Writes the JSON Schema of limits files: run it when the shapes have changed. A test keeps the file in step. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { limitsSchema } from "./schema-of-shape.ts";

const FILE = fileURLToPath(new URL("../../packages/tollgate/src/config/limits.schema.json", import.meta.url));
writeFileSync(FILE, `${JSON.stringify(limitsSchema(), undefined, 2)}\n`);
