import { type Meter, metrics, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import { checkFunction } from "../../core/checks.ts";
import type { Denied } from "../../core/decision.ts";
import type { SentBatch } from "../../core/store-readings.ts";
import type { AnyLimiter } from "../readings/limiter-readings.ts";
import type { AnyStore } from "../readings/measured-store.ts";
import { checkMeasuringNames, type MeasuringOptions, measure } from "../readings/measuring.ts";
import type { Output } from "../readings/output.ts";
import { attributesOf, MeterInstruments } from "./instruments.ts";

export interface OtelOptions extends MeasuringOptions {
  /** That of the global meter provider by default. */
  readonly meter?: Meter | undefined;
  /** That of the global tracer provider by default. With `false` there are neither spans nor span events. */
  readonly tracer?: Tracer | false | undefined;
}

/** What meters and tracers are asked for. */
const SCOPE = "tollgate";

/** The instruments of each meter, so that limiters of one meter share them. */
const INSTRUMENTS = new WeakMap<Meter, MeterInstruments>();

/**
 * Measures a limiter and its store, or a store alone, with OpenTelemetry. Returns a function that ends it.
 *
 * - The metrics are those of `instrument` of `tollgate/metrics`, under names such as `rate_limit.acquire.count`, with
 *   attributes such as `rate_limit.limiter`: see docs/observing.md. Histograms have the calls of this thread.
 * - A denied call adds an event `rate_limit.denied` to the active span, if there is one.
 * - Each call of the script in Redis is a span `rate_limit.redis`.
 *
 * @throws TollgateError `ERR_OPTION` or `ERR_NAME`.
 * @example
 * ```ts
 * import { createLimiter, perMinute } from "tollgate";
 * import { instrument } from "tollgate/otel";
 *
 * // After the SDK has set its providers.
 * const limiter = createLimiter({ name: "api", limits: [perMinute(2)] });
 * const end = instrument(limiter);
 * console.log(limiter.allow("ann")); // true
 * end();
 * ```
 */
export function instrument(limiterOrStore: AnyLimiter | AnyStore, options: OtelOptions = {}): () => void {
  checkMeasuringNames(limiterOrStore, options, { meter: true, tracer: true });
  const meter = options.meter ?? metrics.getMeter(SCOPE);
  checkFunction("meter.createHistogram", meter.createHistogram, "a Meter of @opentelemetry/api");
  const tracer = options.tracer === false ? undefined : (options.tracer ?? trace.getTracer(SCOPE));
  if (tracer !== undefined) checkFunction("tracer.startSpan", tracer.startSpan, "a Tracer of @opentelemetry/api");
  const instruments = INSTRUMENTS.get(meter) ?? new MeterInstruments(meter);
  INSTRUMENTS.set(meter, instruments);
  return measure(limiterOrStore, options, outputTo(instruments, tracer));
}

function outputTo(instruments: MeterInstruments, tracer: Tracer | undefined): Output {
  return {
    stores: instruments.stores,
    add: (reading) => instruments.add(reading),
    histogram: (metric, labels) => instruments.histogram(metric, labels),
    ...(tracer !== undefined && {
      denied: noteDenied,
      sent: (batch: SentBatch, store: string) => recordSpan(tracer, batch, store),
    }),
  };
}

/** Keys are no attribute: they may be addresses or tokens. */
function noteDenied({ limiter, reason, limit, retryAfterMs }: Denied): void {
  const span = trace.getActiveSpan();
  if (span === undefined) return;
  span.addEvent("rate_limit.denied", {
    ...attributesOf({ limiter, reason }),
    ...(limit !== undefined && attributesOf({ limit: limit.name })),
    "rate_limit.retry_after": retryAfterMs / 1000,
  });
}

/** The span belongs to the span that was active when the batch was sent. */
function recordSpan(tracer: Tracer, { calls, keys, sentAtMs, durationMs, failure }: SentBatch, store: string): void {
  const span = tracer.startSpan("rate_limit.redis", {
    kind: SpanKind.CLIENT,
    startTime: sentAtMs,
    attributes: {
      "db.system.name": "redis",
      "db.operation.name": "EVALSHA",
      "db.operation.batch.size": calls,
      "rate_limit.store": store,
      "rate_limit.keys": keys,
    },
  });
  if (failure !== undefined) {
    span.setAttribute("error.type", failure);
    span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  }
  span.end(sentAtMs + durationMs);
}
