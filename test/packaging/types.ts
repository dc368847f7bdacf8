import { createLimiter, type Decision, type Duration, type Limiter, perMinute, tokenBucket } from "tollgate";

const limiter: Limiter<{ readonly id: string }> = createLimiter({
  key: (user: { readonly id: string }) => user.id,
  limits: [perMinute(10, { burst: 20 }), tokenBucket({ capacity: 5, refill: 1, per: "1h30m" })],
});
export const allowed: boolean = limiter.allow({ id: "ann" });

// If a type did not resolve it would be `any`, and these lines would not be errors.
// @ts-expect-error: no options
createLimiter();
// @ts-expect-error: no count
perMinute();
// @ts-expect-error: no numbers
tokenBucket({});
// @ts-expect-error: an input without `id`
limiter.allow("ann");
// @ts-expect-error: no duration
export const typo: Duration = "10 minutes";

export function reasonOf(decision: Decision): string {
  // @ts-expect-error: only a denial has a reason
  if (decision.allowed) return decision.reason;
  return decision.reason;
}
