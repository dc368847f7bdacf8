import { HttpException } from "@nestjs/common";
import type { Denied } from "../../core/decision.ts";
import type { ResponseContent } from "../../http/verdict.ts";

/** The body of a denial, as JSON or as a problem. */
interface DenialBody {
  readonly error?: string;
  readonly title?: string;
}

/**
 * What the guard throws for a denied call, so that exception filters see it like any other. Status and body are those
 * of every adapter, and the headers are already set.
 */
export class RateLimitException extends HttpException {
  override readonly name: string = "RateLimitException";
  /** What the limiter decided; `undefined` if no limiter denied: the address filter did, or a failure. */
  readonly decision: Denied | undefined;
  /** GraphQL servers put it into the error that the client gets. */
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor({ body, status }: ResponseContent, decision: Denied | undefined) {
    const content = JSON.parse(body) as DenialBody;
    super(content, status);
    this.message = content.error ?? content.title ?? "rate limit exceeded";
    this.decision = decision;
    this.extensions = { code: "RATE_LIMITED", ...content };
  }
}
