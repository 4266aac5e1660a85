import { temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it, onTestFinished } from "vitest"
import { changePolicy } from "../src/policy.ts"
import type { Call } from "../src/reporter.ts"
import { startRunner } from "../src/runner.ts"

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length

/** A runner of a machine with a policy, beside a server that answers like this. */
async function runnerBeside(call: (name: string) => Promise<unknown>) {
  const place = temporaryDirectory("runner-")
  onTestFinished(() => place.remove())
  await changePolicy(place.path, (policy) => policy)
  return startRunner({
    call: call as Call,
    machine: "box",
    data: place.path,
    fetched: "",
    mcpUrl: () => "",
    environment: {},
  })
}

it("asks again for work that came while it asked, and leaves no timer that its process would wait for", async () => {
  const before = timers()
  const answers: (() => void)[] = []
  const runner = await runnerBeside((name) => {
    if (name !== "chorus_lease_run") return Promise.resolve({ landing: null, check: null })
    return new Promise((go) => answers.push(() => go({ run: null })))
  })
  await waitFor(() => answers.length === 1, 60_000, "the first question")
  runner.nudge()
  answers[0]?.()
  await waitFor(() => answers.length === 2, 4000, "the second, without the wait between two questions")
  answers[1]?.()
  await runner.close()
  expect(timers()).toBeLessThanOrEqual(before)
})
