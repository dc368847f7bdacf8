import { describe } from "vitest";
import { pass } from "../../chaos/kit/traffic-run.ts";
import type { TcpProxy } from "../../servers/start-proxy.ts";
import {
  itCountsAll,
  itIsBack,
  itSpendsWhatItHolds,
  itStandsThrough,
  spendAll,
  untilLeased,
} from "./kit/incident-tests.ts";
import { onAServer } from "./kit/on-a-server.ts";

const GONE_MS = 600;

const now = (): number => performance.now();

/** An incident that the proxies cause for a while. */
function behind(begin: (proxy: TcpProxy) => void, end: (proxy: TcpProxy) => Promise<void>) {
  return onAServer([], async ({ proxies }, nodes) => {
    for (const proxy of proxies) begin(proxy);
    const fromMs = now();
    const spent = await spendAll(nodes);
    await pass(GONE_MS);
    const untilMs = now();
    await Promise.all(proxies.map(end));
    const leasedMs = await untilLeased(nodes);
    return { fromMs, untilMs, leasedMs, spent };
  });
}

describe.each([
  [
    "connections are cut",
    behind(
      (proxy) => proxy.cut(),
      (proxy) => proxy.pass(),
    ),
  ],
  [
    "requests and replies are held, and arrive in the end",
    behind(
      (proxy) => proxy.blackHole(),
      (proxy) => proxy.release(),
    ),
  ],
  [
    "replies are lost, with their connections in the end",
    behind(
      (proxy) => proxy.halfOpen(),
      (proxy) => proxy.pass("drop"),
    ),
  ],
])("nodes whose %s", (_name, told) => {
  itStandsThrough(told);
  itSpendsWhatItHolds(told);
  itIsBack(told);
  itCountsAll(told);
});
