import { startRedis } from "./start-redis.ts";

/**
 * A process that starts servers, says which, and does not stop them. A word on its input says how it ends; when that closes, it
 * lives on.
 */
const servers = await Promise.all([startRedis(), startRedis(), startRedis(), startRedis()]);
const [, paused, killed, restarted] = servers;
paused.pause();
await killed.kill();
await restarted.restart();
process.stdout.write(`${JSON.stringify(servers.map(({ pid, folder }) => ({ pid, folder })))}\n`);
process.stdin.once("data", (word) => {
  if (String(word) === "exit") process.exit();
  throw new Error(String(word));
});
