import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const SETTLED_MS = 1000

type Collect = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void

/**
 * Loading the program leaves about 25 MB of garbage that an idle server or runner would keep for good: nothing it does afterwards is enough to make
 * the collector look, and so does a run that is over. One collection, shortly afterwards, gives it back; under load the collector works as it always does.
 */
export function giveBackMemory(): void {
  setTimeout(() => {
    setFlagsFromString("--expose-gc")
    const collect = runInNewContext("gc") as Collect
    setFlagsFromString("--no-expose-gc")
    collect({ type: "major", execution: "sync", flavor: "last-resort" })
  }, SETTLED_MS).unref()
}
