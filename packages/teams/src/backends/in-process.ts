import type { Driver } from "../runtime/driver.ts"
import { MemberHost, type MemberOptions } from "../runtime/member-host.ts"
import type { Backend, Placement } from "./backend.ts"

/** Runs members in this process. The driver may itself be a function or stand for a program. */
export function inProcessBackend(
  driverOf: (placement: Placement) => Driver,
  options: Pick<MemberOptions, "planDecider" | "onEvent"> & { type?: "in-process" | "process" } = {},
): Backend {
  return {
    type: options.type ?? "in-process",
    async start(placement) {
      const host = new MemberHost({
        team: placement.team,
        name: placement.member.name,
        driver: driverOf(placement),
        planModeRequired: placement.member.planModeRequired,
        mode: placement.mode,
        planDecider: options.planDecider,
        onEvent: options.onEvent,
        leaves: false,
      })
      return { place: "in-process", ended: host.ended, stop: () => host.close() }
    },
  }
}
