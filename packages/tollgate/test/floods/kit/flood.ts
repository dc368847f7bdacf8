/** The properties of a flood, each with all its values. */
export const CLIENTS = ["ioredis", "iovalkey", "redis", "glide", "upstash"] as const;
export const CONDITIONS = ["healthy", "slow by 20 ms", "stalled for 150 ms", "full", "restarting"] as const;
export const ALGORITHMS = ["token bucket", "sliding window", "fixed window"] as const;
export const CONNECTIONS = [1, 200] as const;
export const POLICIES = ["allow", "deny", "half a share"] as const;

export type ClientName = (typeof CLIENTS)[number];
export type Condition = (typeof CONDITIONS)[number];
export type Algorithm = (typeof ALGORITHMS)[number];
export type Policy = (typeof POLICIES)[number];

export interface Flood {
  readonly client: ClientName;
  readonly condition: Condition;
  readonly algorithm: Algorithm;
  readonly connections: (typeof CONNECTIONS)[number];
  readonly policy: Policy;
}

/** The limit of every key for a day, so that no unit refills during a flood. */
export const LIMIT = 10;
/** The option `share` of the policy "half a share", and the units that it leaves of the limit. */
export const SHARE = 0.5;
export const SHARE_OF_LIMIT = 5;

/** Three floods, with each algorithm and each policy once. The five conditions together try each client three times. */
export function floodsOf(condition: Condition): readonly Flood[] {
  const at = CONDITIONS.indexOf(condition);
  return ALGORITHMS.map((algorithm, i) => ({
    condition,
    algorithm,
    client: CLIENTS[(3 * at + i) % CLIENTS.length]!,
    connections: CONNECTIONS[(at + i) % CONNECTIONS.length]!,
    policy: POLICIES[(at + i) % POLICIES.length]!,
  }));
}
