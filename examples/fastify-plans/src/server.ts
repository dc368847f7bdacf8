import { Accounts } from "./accounts.js";
import { createApp } from "./app.js";
import { createLimits } from "./limits.js";

const accounts = new Accounts(process.env["ACCOUNTS"] ?? "accounts.json", Number(process.env["CACHE_MS"] ?? 5_000));
const app = await createApp(accounts, createLimits(process.env["REDIS_URL"]));
console.log(await app.listen({ host: "127.0.0.1", port: Number(process.env["PORT"] ?? 3000) }));
process.once("SIGTERM", () => void app.close());
