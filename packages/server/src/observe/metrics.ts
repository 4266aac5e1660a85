import { ChorusError } from "@chorus/contracts"
import type { StoreLoad } from "@chorus/store"
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client"
import type { Observer } from "./observer.ts"

export interface Metrics extends Observer {
  /** The Prometheus text. */
  text(): Promise<string>
  readonly contentType: string
}

/** Counts and times of operations, readers of the event stream, connections to the database, and the process's own figures. */
export function metrics(eventReaders: () => number, storeLoad: () => StoreLoad | undefined = () => undefined): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const seconds = new Histogram({
    name: "chorus_operation_seconds",
    help: "Time an operation took, by name and outcome (ok or the error's code).",
    labelNames: ["operation", "outcome"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  })
  const faults = new Counter({
    name: "chorus_faults_total",
    help: "Errors that were our own fault.",
    registers: [registry],
  })
  const readers = new Gauge({ name: "chorus_event_readers", help: "Open event streams.", registers: [registry] })
  const connections = new Gauge({
    name: "chorus_store_connections",
    help: "Connections to PostgreSQL: open, idle, and calls waiting for one.",
    labelNames: ["state"],
    registers: [registry],
  })
  return {
    contentType: registry.contentType,
    text: () => {
      readers.set(eventReaders())
      for (const [state, count] of Object.entries(storeLoad() ?? {})) connections.set({ state }, Number(count))
      return registry.metrics()
    },
    async around(operation, _requestId, work) {
      const began = performance.now()
      let outcome = "ok"
      try {
        return await work()
      } catch (error) {
        outcome = error instanceof ChorusError ? error.code : "internal"
        if (!(error instanceof ChorusError) || error.status >= 500) faults.inc()
        throw error
      } finally {
        seconds.observe({ operation, outcome }, (performance.now() - began) / 1000)
      }
    },
  }
}
