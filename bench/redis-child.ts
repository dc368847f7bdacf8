import { VARIANTS } from "./redis/catalog.ts";
import { checkVariant } from "./redis/measure/check-variant.ts";
import { measureVariant } from "./redis/measure/measure-variant.ts";
import type { Plan } from "./redis/measure/plan.ts";

// One variant in a process of its own, started by `npm run bench:redis`: `redis-child.js <variant> <port of the server> <plan as
// JSON>` prints what it measured; without a plan it checks the variant and prints the bytes of a key.
const [id = "", port = "", plan] = process.argv.slice(2);
const variant = VARIANTS.find((one) => one.id === id);
if (variant === undefined) throw new Error(`expected the id of a variant, got ${id}`);
const found =
  plan === undefined
    ? await checkVariant(variant, Number(port))
    : await measureVariant(variant, Number(port), JSON.parse(plan) as Plan);
process.stdout.write(JSON.stringify(found));
