import { SpanStatusCode, trace } from "@opentelemetry/api"
import type { Observer } from "./observer.ts"

export interface Tracing extends Observer {
  close(): Promise<void>
}

/** Sends a span per operation to an OTLP collector. Loaded only when asked for, so a plain start stays light. */
export async function startTracing(collectorUrl: string, version: string): Promise<Tracing> {
  const [{ TracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }] = await Promise.all([
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
  ])
  const provider = new TracerProvider({
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: collectorUrl }) })],
  })
  trace.setGlobalTracerProvider(provider)
  const tracer = trace.getTracer("chorus", version)
  return {
    around: (operation, requestId, work) =>
      tracer.startActiveSpan(operation, { attributes: { "chorus.request_id": requestId } }, async (span) => {
        try {
          return await work()
        } catch (error) {
          span.setStatus({
            code: SpanStatusCode.ERROR,
            message: error instanceof Error ? error.message : String(error),
          })
          throw error
        } finally {
          span.end()
        }
      }),
    close: () => provider.shutdown(),
  }
}
