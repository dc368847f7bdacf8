// A process of a bench: `child.js KIND ORDER`, the order as JSON. Prints its result as JSON. It loads only what it
// measures: other code would change the heap and the compiler's decisions.
const KINDS: Readonly<Record<string, () => Promise<(order: never) => unknown>>> = {
  process: async () => (await import("./process/measure.ts")).measureRow,
  shape: async () => (await import("./process/shapes.ts")).measureShape,
  "limits file": async () => (await import("./process/limits-file.ts")).measureLoading,
  threads: async () => (await import("./threads/shared.ts")).measureThreads,
  cluster: async () => (await import("./threads/cluster.ts")).measureCluster,
  "cluster worker": async () => (await import("./threads/cluster-worker.ts")).workInCluster,
  server: async () => (await import("./http/server.ts")).serveVariant,
  redis: async () => (await import("./redis/measure.ts")).measureVariant,
  "redis lone": async () => (await import("./redis/lone.ts")).measureLone,
  postgres: async () => (await import("./postgres/measure.ts")).measureVariant,
  "hybrid node": async () => (await import("./hybrid/node.ts")).runNode,
  "hybrid local": async () => (await import("./hybrid/local-calls.ts")).measureLocalCalls,
  "bare check": async () => (await import("./service/bare-servers.ts")).serveBareChecks,
  "bare decide": async () => (await import("./service/bare-servers.ts")).serveBareDecisions,
  "bare grpc": async () => (await import("./service/grpc.ts")).serveBareGrpc,
  "grpc load": async () => (await import("./service/grpc.ts")).loadGrpc,
};

const [kind = "", order = "{}"] = process.argv.slice(2);
const load = KINDS[kind];
if (load === undefined) throw new Error(`expected one of ${Object.keys(KINDS).join(", ")}, got ${kind}`);
const work = await load();
const result = await work(JSON.parse(order) as never);
if (result !== undefined) process.stdout.write(JSON.stringify(result));
