import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import type { Denied } from "../../core/decision.ts";
import { show, TollgateError } from "../../core/errors.ts";
import { exposedNames } from "../../http/exposed-names.ts";
import type { HttpFacts } from "../../http/facts.ts";
import { Gate, type Refusal, type Verdict } from "../../http/gate.ts";
import { EXPOSE, type HeaderList } from "../../http/header-list.ts";
import { isGone } from "../../http/outgoing.ts";
import { handOver } from "../../http/thrown-error.ts";
import { isPromise } from "../../http/when-ready.ts";
import { factsAt } from "../node/facts.ts";
import { keepAddress } from "../node/kept-address.ts";
import { watchOutcome } from "../node/outcome.ts";
import type { RateLimitOptions, RouteRateLimit } from "./options.ts";

/** The neutral view of a request of Fastify. Its path is as it was sent, also where `rewriteUrl` has changed `request.url`. */
export function factsOf(request: FastifyRequest): HttpFacts {
  return factsAt(request.raw, request.originalUrl);
}

/** The plugin's own options, and those that Fastify takes beside a plugin's. */
const OWN_OPTIONS = ["global", "hook", "prefix", "logLevel", "logSerializers"];

/** What stands in front of routes, as a hook of Fastify. */
export class RouteLimit {
  readonly hook: "onRequest" | "preHandler";
  readonly #gate: Gate<FastifyRequest, never>;
  readonly #onDenied: RouteRateLimit["onDenied"];

  /** @throws TollgateError `ERR_OPTION` when an option is not what is expected. */
  constructor(options: RouteRateLimit) {
    // The types say no more of an input than that there is one, where the limiter takes no facts.
    this.#gate = new Gate(options as RateLimitOptions<never>, factsOf, OWN_OPTIONS);
    this.#onDenied = options.onDenied;
    this.hook = options.hook ?? "onRequest";
    if (this.hook !== "onRequest" && this.hook !== "preHandler") {
      throw new TollgateError("ERR_OPTION", `hook: expected "onRequest" or "preHandler", got ${show(options.hook)}`);
    }
  }

  handle(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
    let verdict: Verdict | Promise<Verdict>;
    try {
      verdict = this.#gate.check(request);
    } catch (error) {
      handOver(error, done);
      return;
    }
    if (isPromise(verdict)) {
      keepAddress(request.raw);
      void verdict.then(
        (later) => this.#act(later, request, reply, done),
        (error: unknown) => handOver(error, done),
      );
    } else this.#act(verdict, request, reply, done);
  }

  #act(verdict: Verdict, request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
    if (verdict.decision !== undefined) request.rateLimit = verdict.decision;
    if (verdict.pass && verdict.settle !== undefined) watchOutcome(reply.raw, verdict.settle);
    // A client that went while the store was asked needs no handler: its 'close' is over, nobody would clean up.
    if (isGone(reply.raw)) return;
    setHeaders(reply, verdict.headers);
    if (verdict.pass) done();
    else this.#refuse(verdict, request, reply, done);
  }

  #refuse(
    { decision, answer }: Refusal,
    request: FastifyRequest,
    reply: FastifyReply,
    done: HookHandlerDoneFunction,
  ): void {
    // Somebody else has answered, or begun to, while the store was asked.
    if (reply.sent || reply.raw.headersSent) return;
    const before = reply.statusCode;
    reply.code(answer.status);
    if (this.#onDenied !== undefined && decision !== undefined) {
      answerBy(this.#onDenied, request, reply, decision).catch((error: unknown) => {
        // An error is not answered with the status of a denial.
        if (!reply.sent && reply.statusCode === answer.status) reply.code(before);
        handOver(error, done);
      });
      return;
    }
    // Fastify adds a charset to a string of any JSON type, and none to bytes.
    reply.header("content-type", answer.contentType).send(Buffer.from(answer.body));
  }
}

async function answerBy(
  onDenied: NonNullable<RouteRateLimit["onDenied"]>,
  request: FastifyRequest,
  reply: FastifyReply,
  decision: Denied,
): Promise<void> {
  const payload = await onDenied(request, reply, decision);
  if (payload !== undefined && !reply.sent) reply.send(payload);
}

/** Fastify sends names in lower case, and to make them so for each response takes longer than to look them up. */
const LOWER_CASE = new Map<string, string>();

function lowerCase(name: string): string {
  const known = LOWER_CASE.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  // The names are those that the forms of the gate have.
  LOWER_CASE.set(name, lower);
  return lower;
}

function setHeaders(reply: FastifyReply, headers: HeaderList): void {
  for (const [name, value] of headers) {
    reply.header(lowerCase(name), name === EXPOSE ? exposedNames(reply.getHeader(name), value) : value);
  }
}
