import {
  ADAPTERS,
  ALGORITHMS,
  CLIENTS,
  CONDITIONS,
  CONNECTIONS,
  type Condition,
  type Flood,
  POLICIES,
} from "./flood.ts";

/**
 * 30 floods out of 2,700. They combine each adapter with each client, and any two values of two properties at least
 * once. A search over sums of this form found these. `plan.test.ts` counts the pairs.
 */
export const PLAN: readonly Flood[] = ADAPTERS.flatMap((adapter, a) =>
  CLIENTS.map((client, c): Flood => {
    const round = Math.floor((a + c) / CONDITIONS.length);
    return {
      adapter,
      client,
      condition: CONDITIONS[(a + c) % CONDITIONS.length]!,
      algorithm: ALGORITHMS[(a + 2 * c) % ALGORITHMS.length]!,
      connections: CONNECTIONS[(c + round) % CONNECTIONS.length]!,
      policy: POLICIES[(a + c + Math.floor(a / 2) + round) % POLICIES.length]!,
    };
  }),
);

export function floodsOf(condition: Condition): readonly Flood[] {
  return PLAN.filter((flood) => flood.condition === condition);
}

export function titleOf({ adapter, client, algorithm, connections, policy }: Flood): string {
  return `${adapter}, ${client}, ${algorithm}, connections: ${connections}, on failure: ${policy}`;
}
