import { startRedis } from "./start-redis.ts";

/**
 * A process that starts servers, prints them, and does not stop them. Its input names how it ends; it survives a
 * closed input.
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
