import type { IncomingMessage } from "node:http";
import { createLimiter } from "tollgate";
import type { HttpFacts } from "tollgate/node";
import { expect } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { bucketOf, left, manualLimiter, perAddress, recorder, type SuiteCase, slowHandlers } from "./case.ts";
import { get, leave, send } from "./client.ts";
import { until } from "./until.ts";

/** Many times the listeners that Node lets an emitter have without a warning. */
const PIPELINED = 30;

function whileWaitedFor(option: "cost" | "skip"): SuiteCase {
  return {
    name: `counts a client that leaves while ${option} is pending under the client's address`,
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(9)]);
      let goOn: (() => void) | undefined;
      const wait = () =>
        new Promise<void>((resolve) => {
          goOn = resolve;
        });
      const options = { cost: { cost: () => wait().then(() => 2) }, skip: { skip: () => wait().then(() => false) } };
      const url = await start({ limiter, ...options[option] });
      await leave(
        url,
        get("/ok"),
        until(() => goOn !== undefined, "it is asked"),
      );
      await new Promise((resolve) => setTimeout(resolve, 30));
      goOn?.();
      await until(() => left(limiter) < 9, "it is counted");
      expect(limiter.peek({ remoteAddress: undefined } as HttpFacts, 0).remaining).toBe(9);
    },
  };
}

/** Clients that go before they have what they asked for. */
export const DEPARTURE_CASES: readonly SuiteCase[] = [
  {
    name: "settles each of many pipelined requests without a warning when the client breaks off",
    run: async (start) => {
      const warnings: Error[] = [];
      const warned = (warning: Error) => void warnings.push(warning);
      process.on("warning", warned);
      const { outcomes, chargeAfter } = recorder(({ completed }) => (completed ? 1 : 2));
      const { limiter } = manualLimiter([bucketOf(100)]);
      let asked = 0;
      const skip = () => {
        asked += 1;
        return false;
      };
      const { answers, login } = slowHandlers();
      const url = await start({ limiter, skip, chargeAfter, login });
      // The first has the connection; the others wait behind it, answered or not.
      const text = get("/login") + get("/ok").repeat(PIPELINED - 2) + get("/login");
      await leave(
        url,
        text,
        until(() => asked === PIPELINED, "all have come"),
      );
      await until(() => outcomes.length === PIPELINED - 2, "those are told that were answered");
      for (const answer of answers) answer(204);
      await until(() => outcomes.length === PIPELINED && left(limiter) === 100 - 2 * PIPELINED, "all are charged");
      await send(`${url}/ok`);
      await until(() => outcomes.length === PIPELINED + 1, "the next is told");
      process.off("warning", warned);
      expect(outcomes.slice(0, PIPELINED).filter(({ completed }) => completed)).toEqual([]);
      expect(warnings).toEqual([]);
    },
  },
  {
    name: "tells chargeAfter that a response was not sent whole if the client left early",
    run: async (start) => {
      const { outcomes, chargeAfter } = recorder();
      const url = await start({ limiter: manualLimiter([bucketOf(100)]).limiter, cost: 0, chargeAfter });
      // More than the buffers of both sides hold.
      await leave(url, get("/bytes/60000000"), "first bytes");
      await until(() => outcomes.length === 1, "it is told");
      expect(outcomes[0]).toMatchObject({ status: 200, completed: false });
    },
  },
  {
    name: "calls no handler for a client that leaves while the store decides, but settles",
    run: async (start) => {
      const store = new AsyncTwin();
      const limiter = createLimiter({ name: "far", key: perAddress, limits: [bucketOf(10)], store });
      const { outcomes, chargeAfter } = recorder();
      const counts = { asked: 0, closed: 0, handled: 0 };
      const input = (facts: HttpFacts) => {
        counts.asked += 1;
        return facts;
      };
      const login = async () => {
        counts.handled += 1;
        return 204;
      };
      const meanwhile = ({ socket }: IncomingMessage) => {
        socket.once("close", () => {
          counts.closed += 1;
        });
      };
      const url = await start({ limiter, input, chargeAfter, login, meanwhile });
      const answer = store.hold();
      // The second request waits behind the first.
      await leave(
        url,
        get("/login").repeat(2),
        until(() => counts.asked === 2, "the store is asked"),
      );
      await until(() => counts.closed > 0, "the server has seen the end of the connection");
      answer();
      await until(() => outcomes.length === 2, "both are settled");
      expect((await send(`${url}/login`)).status).toBe(204);
      expect(counts.handled).toBe(1);
      expect(outcomes.slice(0, 2)).toEqual([1, 2].map(() => ({ status: 0, bytes: 0, completed: false })));
    },
  },
  whileWaitedFor("skip"),
  whileWaitedFor("cost"),
];
