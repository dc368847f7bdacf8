// A process of a bench: `child.js <what> <order as JSON>`. Prints its result as JSON. It loads only what it measures:
// other code would change the heap and the compiler's decisions.
const KINDS: Readonly<Record<string, () => Promise<(order: never) => unknown>>> = {
  process: async () => (await import("./process/measure.ts")).measureJob,
  kinds: async () => (await import("./process/measure.ts")).measureKinds,
  threads: async () => (await import("./threads/measure.ts")).measureRow,
  cluster: async () => (await import("./threads/cluster-worker.ts")).workInCluster,
  line: async () => (await import("./waiting/measure.ts")).measureLine,
  "limits matching": async () => (await import("./limits/matching.ts")).measureMatching,
  "limits loading": async () => (await import("./limits/loading.ts")).measureLoading,
  "metrics cost": async () => (await import("./metrics/cost.ts")).measureCost,
  "metrics scrape": async () => (await import("./metrics/scrape.ts")).measureScrape,
  "metrics story": async () => (await import("./metrics/story.ts")).measureStory,
  open: async () => (await import("./waiting/reserving.ts")).weighOpen,
  "bare check": async () => (await import("./service/bare-check.ts")).serveBareChecks,
  "bare decide": async () => (await import("./service/bare-decide.ts")).serveBareDecisions,
  "bare grpc": async () => (await import("./service/bare-grpc.ts")).serveBareGrpc,
  "steady load": async () => (await import("./service/steady-load.ts")).loadSteadily,
  "grpc load": async () => (await import("./service/grpc-load.ts")).loadGrpc,
  server: async () => (await import("./http/server-process.ts")).serveVariant,
  "redis check": async () => (await import("./redis/measure.ts")).checkVariant,
  "redis lone": async () => (await import("./redis/lone.ts")).measureLone,
  hybrid: async () => (await import("./hybrid/node.ts")).runNode,
  redis: async () => (await import("./redis/measure.ts")).measureVariant,
};

const [what = "", order = "{}"] = process.argv.slice(2);
const load = KINDS[what];
if (load === undefined) throw new Error(`expected one of ${Object.keys(KINDS).join(", ")}, got ${what}`);
const work = await load();
const result = await work(JSON.parse(order) as never);
if (result !== undefined) process.stdout.write(JSON.stringify(result));
