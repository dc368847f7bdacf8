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
 *
 * @example
 * ```ts
 * import { type ArgumentsHost, Catch, Controller, type ExceptionFilter, Get, Module, UseFilters } from "@nestjs/common";
 * import { NestFactory } from "@nestjs/core";
 * import type { Response } from "express";
 * import { createLimiter, perMinute } from "tollgate";
 * import { clientIp, RateLimit, RateLimitException } from "tollgate/nestjs";
 *
 * @Catch(RateLimitException)
 * class DenialFilter implements ExceptionFilter<RateLimitException> {
 *   catch(exception: RateLimitException, host: ArgumentsHost) {
 *     const response = host.switchToHttp().getResponse<Response>();
 *     response.status(exception.getStatus()).send(`wait ${exception.decision?.retryAfterMs} ms`);
 *   }
 * }
 *
 * @Controller()
 * class Reports {
 *   @Get()
 *   @UseFilters(DenialFilter)
 *   @RateLimit({ limiter: createLimiter({ key: clientIp(), limits: [perMinute(1)] }) })
 *   report() {
 *     return "a report";
 *   }
 * }
 *
 * @Module({ controllers: [Reports] })
 * class AppModule {}
 *
 * const app = await NestFactory.create(AppModule, { logger: false });
 * await app.listen(0, "127.0.0.1");
 * const get = async () => (await fetch(await app.getUrl())).text();
 * console.log(await get(), "/", await get()); // a report / wait 60000 ms
 * await app.close();
 * ```
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
