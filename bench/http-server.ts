import { VARIANTS } from "./http/catalog.ts";
import type { Said } from "./http/measure/server-process.ts";

// One server in a process of its own, started by `npm run bench:http`: `http-server.js <variant> <limit>`. It says its port,
// then, whenever it is asked, what it has taken of the processors.
const [id = "", limit = ""] = process.argv.slice(2);
const variant = VARIANTS.find((one) => one.id === id);
if (variant === undefined) throw new Error(`expected the id of a variant, got ${id}`);
const serve = await variant.load();
const say = (said: Said) => process.send?.(said);
say({ port: await serve(Number(limit)) });
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  say({ cpuUs: user + system });
});
process.on("disconnect", () => process.exit());
