import { DurableObject } from "cloudflare:workers";
import {
  combine,
  concurrency,
  createLimiter,
  fixedWindow,
  memoryStore,
  perHour,
  perMinute,
  tokenBucket,
} from "tollgate";
import { durableObjectStore, rateLimitObject } from "tollgate/durable-object";
import { storeContract } from "tollgate/testing";

/** Objects that can be told to fail, and show what they have. */
export class Limits extends rateLimitObject(DurableObject) {
  requests = 0;
  mode = "works";

  decideLimits(request) {
    this.requests += 1;
    if (this.mode === "hangs") return new Promise(() => {});
    if (this.mode === "throws") throw new Error("broken");
    if (this.mode === "is older") return super.decideLimits({ ...request, version: 0 });
    return super.decideLimits(request);
  }

  setMode(mode) {
    this.mode = mode;
    return this.requests;
  }

  sql(text) {
    return this.ctx.storage.sql.exec(text).toArray();
  }

  put(key, value) {
    return this.ctx.storage.put(key, value);
  }

  getAlarm() {
    return this.ctx.storage.getAlarm();
  }

  runAlarm() {
    return this.alarm();
  }

  evict() {
    this.ctx.abort("evicted");
  }
}

const NAMES =
  "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name";
const outcomeOf = async (call) => {
  try {
    return String(await call);
  } catch (error) {
    return `${error.code}: ${error.message}`;
  }
};
const countAdmitted = (answers) => answers.filter(Boolean).length;
const few = (count, name = "few") => fixedWindow({ name, limit: count, window: "1h", anchor: "first-use" });

/** The objects of one test, and a store over them. */
function openTest(env, test, options = {}) {
  const names = new Set();
  const idOf = (name) => env.LIMITS.idFromName(`${test}: ${name}`);
  const namespace = {
    idFromName(name) {
      names.add(name);
      return idOf(name);
    },
    get: (id) => env.LIMITS.get(id),
  };
  const store = durableObjectStore({ namespace, shards: 1, onFailure: "deny", timeout: "20s", ...options });
  /** A stub belongs to one request, and a broken one stays broken. */
  const object = (name = "shard 0 of 1") => env.LIMITS.get(idOf(name));
  const limiter = (limits, more = {}) => createLimiter({ name: "api", limits, store, ...more });
  const evict = async (name) => {
    await object(name)
      .evict()
      .catch(() => {});
  };
  return { names, store, object, limiter, evict };
}

let stores = 0;
/** Limiters that several requests use, by their tests. */
const shared = new Map();
const ROUTES = {
  async acquire(env, { test }) {
    const limits = [concurrency({ max: 1, ttl: "1h" })];
    if (!shared.has(test)) shared.set(test, openTest(env, test).limiter(limits));
    const reservation = await shared.get(test).acquire("ann", 1, { maxWait: "30s" });
    // The place is kept over other requests.
    await new Promise((resolve) => setTimeout(resolve, 20));
    await reservation.cancel();
    return reservation.decision.allowed;
  },

  async wait(env, { test }) {
    const limits = [tokenBucket({ capacity: 1, refill: 1, per: "20ms" })];
    if (!shared.has(test)) shared.set(test, openTest(env, test).limiter(limits));
    const { allowed, degraded } = await shared.get(test).wait("ann");
    return { allowed, degraded };
  },

  async contract(env, { name }) {
    const createStore = () => {
      stores += 1;
      return openTest(env, `contract ${stores}`, { shards: 2 }).store;
    };
    const found = storeContract({ createStore }).find((one) => one.name === name);
    await found.run();
  },

  async flood(env, { test, count }) {
    const { limiter } = openTest(env, test);
    const api = limiter([few(100)]);
    return countAdmitted(await Promise.all(Array.from({ length: count }, () => api.allow("ann"))));
  },

  async turns(env, { test }) {
    const { limiter, object } = openTest(env, test);
    const api = limiter([perMinute(1_000)]);
    await Promise.all(Array.from({ length: 50 }, (_, i) => api.allow(`key ${i}`)));
    const first = await object().setMode("works");
    await api.allow("ann");
    await api.allow("ann");
    return [first, await object().setMode("works")];
  },

  async eviction(env, { test }) {
    const { limiter, evict } = openTest(env, test);
    const api = limiter([few(2), perHour(2), concurrency({ max: 1, ttl: "1h" })]);
    const reservation = await api.reserve("ann");
    await api.block("bob", "1h", { reason: "abuse" });
    await evict();
    const second = await api.reserve("ann");
    const renewed = await reservation.renew();
    await evict();
    await reservation.cancel();
    await evict();
    const third = await api.reserve("ann");
    await evict();
    const blocked = (await api.reserve("bob")).decision;
    await api.reset("ann");
    await evict();
    const afterReset = await api.reserve("ann");
    await third.cancel();
    await evict();
    return {
      second: second.decision.violated.map(({ name }) => name),
      renewed,
      third: third.decision.allowed,
      blocked: blocked.reason,
      afterReset: afterReset.decision.allowed,
      used: (await api.explain("ann")).map(({ used }) => used),
    };
  },

  async count(env, { test, key, verb }) {
    const { limiter } = openTest(env, test);
    return limiter([few(3), perHour(5, { name: "slow" })])[verb](key);
  },

  async failing(env, { test, mode }) {
    const seen = [];
    const observe = ({ type, cause }) => seen.push(cause === undefined ? type : `${type}: ${cause}`);
    const { limiter, object, store } = openTest(env, test, { timeout: "300ms", observe });
    const api = limiter([few(3)]);
    await api.allow("ann");
    await object().setMode(mode);
    const decisions = [];
    for (let i = 0; i < 4; i += 1) decisions.push(await api.consume("ann"));
    const during = store.readings();
    const requests = await object().setMode("works");
    let last = await api.consume("ann");
    while (last.degraded !== undefined) last = await api.consume("ann");
    const reset = await outcomeOf(api.reset("ann"));
    const after = store.readings();
    return {
      allowed: decisions.map(({ allowed }) => allowed),
      degraded: decisions.map(({ degraded }) => degraded),
      requests,
      remaining: last.remaining,
      reset,
      breakers: [during.breaker, after.breaker],
      seen,
    };
  },

  async policies(env, { test }) {
    const { object, limiter } = openTest(env, test, { timeout: "5s" });
    await object().setMode("throws");
    const fallback = { fallback: memoryStore(), share: 0.5 };
    const results = {};
    for (const [name, onFailure] of Object.entries({ allow: "allow", deny: "deny", share: fallback })) {
      const api = limiter([few(4)], { name, onFailure });
      results[name] = countAdmitted(await Promise.all(Array.from({ length: 9 }, () => api.allow("ann"))));
    }
    const administered = await outcomeOf(limiter([few(4)]).reset("ann"));
    return { ...results, administered };
  },

  async shards(env, { test }) {
    const numbered = openTest(env, `${test} number`, { shards: 4 });
    const api = numbered.limiter([few(2)]);
    const keys = Array.from({ length: 60 }, (_, i) => `key ${i}`);
    const both = async (key) => [await api.allow(key), await api.allow(key), await api.allow(key)].join();
    const answers = new Set(await Promise.all(keys.map(both)));
    const size = await api.size();
    await api.clear();
    const own = openTest(env, `${test} key`, { shards: "key" });
    await own.limiter([few(2)]).allow("ann");
    const named = openTest(env, `${test} named`, { shards: (key) => key.split(":")[0] });
    await Promise.all(["a:1", "a:2", "b:1"].map((key) => named.limiter([few(2)]).allow(key)));
    const cleared = await outcomeOf(named.limiter([few(2)]).clear());
    return {
      answers: [...answers],
      names: [...numbered.names].sort((a, b) => a.localeCompare(b)),
      sizes: [size, await api.size()],
      own: [...own.names],
      named: [...named.names],
      cleared,
    };
  },

  /** Users with limits of their own, and one limit for all: their keys are in several objects. */
  async combined(env, { test, limits }) {
    const { limiter, names } = openTest(env, test, { shards: (key) => key });
    const own = limiter([limits === "windows" ? few(5) : perHour(5)], {
      name: "own",
      key: ({ user }) => user ?? "none",
    });
    const all = limiter([limits === "windows" ? few(12) : perHour(12)], { name: "all", key: () => "all" });
    const both = combine(own, all);
    const users = ["a", "b", "c", "d"];
    const calls = Array.from({ length: 40 }, (_, i) => both.reserve({ user: users[i % 4] }));
    const reservations = await Promise.all(calls);
    const used = async (one, input) => (await one.explain(input))[0].used;
    const usedByUsers = await Promise.all(users.map((user) => used(own, { user })));
    const usedByAll = await used(all, {});
    const admitted = reservations.filter(({ decision }) => decision.allowed);
    for (const reservation of admitted) await reservation.cancel();
    const left = await Promise.all(users.map((user) => used(own, { user })));
    return {
      admitted: admitted.length,
      usedByAll,
      sum: usedByUsers.reduce((a, b) => a + b, 0),
      most: Math.max(...usedByUsers),
      left: [...left, await used(all, {})],
      objects: names.size,
      entries: (await both.explain({ user: "a" })).length,
    };
  },

  async alarm(env, { test, own }) {
    const { limiter, object } = openTest(env, test);
    const api = limiter([fixedWindow({ name: "short", limit: 5, window: "1s", anchor: "first-use" })]);
    await api.allow("ann");
    const atMs = await object().getAlarm();
    const days = limiter([few(2, "long")], { name: "days" });
    await days.allow("ann");
    await days.block("bob", "2s");
    if (own === true) await object().sql("CREATE TABLE mine (text TEXT)");
    if (own === true) await object().put("mine", 1);
    let sizes;
    do {
      await object().runAlarm();
      sizes = [await api.size(), await days.size()];
    } while (sizes[0] > 0);
    const again = await object().getAlarm();
    await days.reset("ann");
    let tables = [];
    let isLeft = true;
    while (isLeft) {
      await object().runAlarm();
      tables = await object().sql(NAMES);
      isLeft = own !== true && tables.some(({ name }) => name === "tollgate_rows");
    }
    const counted = [await days.consume("ann"), await days.consume("ann")].map(({ remaining }) => remaining);
    return {
      firstMs: atMs - Date.now(),
      sizes,
      againMs: again - Date.now(),
      tables: tables.map(({ name }) => name),
      counted,
    };
  },

  async database(env, { test }) {
    const { limiter, object } = openTest(env, test);
    const api = limiter([few(3)]);
    await api.allow("ann");
    await object().sql("ALTER TABLE tollgate_rows RENAME TO gone");
    const broken = await api.consume("ann");
    await object().sql("DROP TABLE IF EXISTS tollgate_rows");
    await object().sql("ALTER TABLE gone RENAME TO tollgate_rows");
    // The second row of a message fails when the first is written.
    const when = "BEFORE INSERT ON tollgate_rows WHEN NEW.key = '{bob}'";
    await object().sql(`CREATE TRIGGER full ${when} BEGIN SELECT RAISE(ABORT, 'full'); END`);
    const full = await Promise.all([api.consume("ann"), api.consume("bob")]);
    const denied = await api.consume("ann", 4);
    await object().sql("DROP TRIGGER full");
    const left = await api.consume("ann");
    return {
      broken: broken.degraded,
      full: full.map(({ degraded }) => degraded),
      denied: denied.degraded ?? denied.reason,
      remaining: left.remaining,
    };
  },
};

// biome-ignore lint/style/noDefaultExport: the form of a worker
export default {
  async fetch(request, env) {
    const { route, ...input } = await request.json();
    try {
      return Response.json({ result: await ROUTES[route](env, input) });
    } catch (error) {
      return Response.json({ error: String(error?.stack ?? error) });
    }
  },
};
