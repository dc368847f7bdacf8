import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createLimiter, perMinute, slidingWindow } from "tollgate";
import { refundSuccesses } from "tollgate/node";
import { manualClock } from "tollgate/testing";
import { expect } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { bucketOf, HERE, left, manualLimiter, perAddress, recorder, type SuiteCase, slowHandlers } from "./case.ts";
import { breakOff, send } from "./client.ts";
import { until } from "./until.ts";

/** Sends one request over a connection of its own, which is left open. */
async function begin(url: string, path: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(`POST ${path} HTTP/1.1\r\nHost: here\r\nContent-Length: 0\r\n\r\n`);
  return socket;
}

async function hangUp(socket: Socket): Promise<void> {
  socket.destroy();
  if (!socket.closed) await once(socket, "close");
}

/**
 * What a server does with a connection that was closed it does within some turns; the next request comes later than
 * these.
 */
async function served(url: string): Promise<void> {
  await send(`${url}/status/204`);
}

const ATTEMPTS = 50;

/** How clients that hang up during the check are counted, whatever `settleAborted` is. */
function hangingUp(settleAborted: boolean): SuiteCase {
  return {
    name: `checks no more passwords than the limit allows for clients that hang up, with settleAborted: ${settleAborted}`,
    run: async (start) => {
      const clock = manualClock(START_MS);
      const limiter = createLimiter({ key: perAddress, limits: [slidingWindow({ limit: 3, window: "15m" })], clock });
      const { answers: end, login, skip } = slowHandlers();
      const url = await start({ limiter, chargeAfter: refundSuccesses(), settleAborted, login, skip });
      for (let i = 0; i < ATTEMPTS; i += 1) {
        const before = end.length;
        const socket = await begin(url, "/login");
        let answered = false;
        socket.on("data", () => {
          answered = true;
        });
        await until(() => answered || end.length > before, "it is denied or checked");
        await hangUp(socket);
        await served(url);
      }
      expect(end.length).toBe(3);
      // Their later responses change nothing, because the client has left.
      for (const answer of end) answer(204);
      await served(url);
      expect([left(limiter), (await send(`${url}/login`)).status, end.length]).toEqual([0, 429, 3]);
    },
  };
}

/** Clients that go, and what their requests have cost. */
export const ABORTED_CASES: readonly SuiteCase[] = [
  hangingUp(false),
  hangingUp(true),
  {
    name: "checks no more passwords than the limit allows for many clients that hang up at once",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(3)]);
      const { answers: end, login, skip } = slowHandlers();
      const url = await start({ limiter, chargeAfter: refundSuccesses(), login, skip });
      for (let round = 0; round < 2; round += 1) {
        const sockets = await Promise.all(Array.from({ length: ATTEMPTS / 2 }, () => begin(url, "/login")));
        let denied = 0;
        for (const socket of sockets) socket.once("data", () => (denied += 1));
        await until(() => denied + (round === 0 ? end.length : 0) === sockets.length, "all are denied or checked");
        await Promise.all(sockets.map(hangUp));
        await served(url);
      }
      expect([end.length, left(limiter)]).toEqual([3, 0]);
    },
  },
  {
    name: "refunds no unit if the client breaks off the response",
    run: async (start) => {
      const { limiter } = manualLimiter([perMinute(100), perMinute(1_000, { name: "tokens", unit: "tokens" })]);
      let told = 0;
      const chargeAfter = () => {
        told += 1;
        return { requests: 0, tokens: 500 };
      };
      const url = await start({ limiter, cost: { requests: 1, tokens: 100 }, chargeAfter });
      await breakOff(`${url}/stream/2000`, "first bytes");
      const used = () => limiter.explain(HERE, 0).map((state) => state.used);
      await until(() => told === 1 && used()[1] === 500, "tokens are charged");
      expect(used()).toEqual([1, 500]);
    },
  },
  {
    name: "refunds after a client has left if settleAborted is set and the handler has answered",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(5)]);
      const { outcomes, chargeAfter } = recorder(({ status }) => (status === 401 ? 1 : 0));
      const { answers: end, login, skip } = slowHandlers();
      const url = await start({ limiter, chargeAfter, login, settleAborted: true, skip });
      for (const [index, status] of [204, 401].entries()) {
        const socket = await begin(url, "/login");
        await until(() => end.length === index + 1, "it is checked");
        await hangUp(socket);
        await served(url);
        expect([outcomes.length, left(limiter)]).toEqual([index, 4]);
        end[index]?.(status);
        await until(() => outcomes.length === index + 1, "it is told");
        expect(outcomes[index]).toEqual({ status, bytes: 0, completed: false });
        await until(() => left(limiter) === (status === 204 ? 5 : 4), "it is settled");
      }
    },
  },
  {
    name: "waits for the handler's cost after the client has left",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(100)]);
      const { answers: end, login, skip } = slowHandlers();
      const spent = withResolvers<number>();
      const url = await start({
        limiter,
        cost: 50,
        chargeAfter: () => spent.promise,
        login,
        settleAborted: true,
        skip,
      });
      const socket = await begin(url, "/login");
      await until(() => end.length === 1, "it is handled");
      await hangUp(socket);
      await served(url);
      end[0]?.(200);
      await served(url);
      expect(left(limiter)).toBe(50);
      spent.resolve(7);
      await until(() => left(limiter) === 93, "what it has cost is charged");
    },
  },
];

/** Like `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}
