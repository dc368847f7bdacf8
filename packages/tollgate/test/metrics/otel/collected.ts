import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, type ContextManager, context, ROOT_CONTEXT } from "@opentelemetry/api";
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { onTestFinished } from "vitest";

class Reader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** A meter, and its values by instrument: `name{attributes} value`, a histogram's by count and sum. */
export function createMeter() {
  const reader = new Reader();
  const provider = new MeterProvider({ readers: [reader] });
  onTestFinished(() => provider.shutdown());
  const collect = async () => {
    const { resourceMetrics, errors } = await reader.collect();
    if (errors.length > 0) throw errors[0];
    return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
  };
  const values = async (name: string): Promise<string[]> =>
    (await collect())
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints }) =>
        dataPoints.map(({ attributes, value }) => {
          const texts = Object.entries(attributes).map(([key, text]) => `${key}=${String(text)}`);
          const shown = typeof value === "object" ? `${value.count} in ${value.sum}` : String(value);
          return `${texts.join(" ")}: ${shown}`;
        }),
      );
  return { meter: provider.getMeter("test"), collect, values };
}

/** A tracer, and the spans that have ended. */
export function createTracer() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  onTestFinished(() => provider.shutdown());
  return { tracer: provider.getTracer("test"), spans: () => exporter.getFinishedSpans() };
}

/** The least that makes spans active across promises, until the test ends. */
export function useContexts(): void {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...args) => storage.run(active, () => work.apply(self, args)),
    bind: (_active, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager);
  onTestFinished(() => context.disable());
}
