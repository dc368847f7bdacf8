import { type ScaleLoad, type ScaleResult, ScaleRun } from "./scale.ts";
import { SimRedis } from "./sim-redis.ts";

// A program for the bench: runs loads against the server at a port, and prints the results as JSON.
const [port, loads] = [Number(process.argv[2]), JSON.parse(process.argv[3]!) as readonly ScaleLoad[]];
const redis = await SimRedis.connect(port);
const results: ScaleResult[] = [];
for (const load of loads) results.push(await new ScaleRun(redis, load).run());
redis.close();
process.stdout.write(JSON.stringify(results));
