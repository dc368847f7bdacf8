import type { IoredisStoreClient } from "tollgate/redis";

/** A client with the shape of ioredis. `answer` is what each command returns. */
function clientThat(answer: () => Promise<unknown>): IoredisStoreClient {
  return Object.assign(
    { status: "ready", isCluster: false, options: {}, on() {}, off() {} },
    { evalsha: answer, eval: answer, ping: answer, scan: answer },
  );
}

/** A client whose server refuses connections. */
export function refusedClient(): IoredisStoreClient {
  return clientThat(() => Promise.reject(new Error("connect ECONNREFUSED 127.0.0.1:6379")));
}

/** A client whose server never replies. */
export function silentClient(): IoredisStoreClient {
  return clientThat(() => new Promise(() => {}));
}
