import { writeFileSync } from "node:fs";
import { pictures } from "./draw.ts";

for (const [name, picture] of await pictures()) {
  writeFileSync(new URL(`../../docs/pictures/${name}`, import.meta.url), picture);
}
