import { ChorusError } from "@chorus/contracts"
import type { Logger } from "pino"
import type { Observer } from "./observer.ts"

/** One structured line per operation, with the request id that its events carry too. */
export function accessLog(log: Logger): Observer {
  return {
    async around(operation, requestId, work) {
      if (!log.isLevelEnabled("info")) return work()
      const began = performance.now()
      try {
        const answer = await work()
        log.info({ operation, requestId, ms: elapsed(began) }, "done")
        return answer
      } catch (error) {
        log.info(
          { operation, requestId, ms: elapsed(began), code: error instanceof ChorusError ? error.code : "internal" },
          "refused",
        )
        throw error
      }
    },
  }
}

function elapsed(began: number): number {
  return Math.round((performance.now() - began) * 100) / 100
}
