import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { type Layout, layout, type LayoutEdge, type Memory } from "./layout.ts"
import type { LayoutRequest } from "./layout-worker.ts"

/** So many are laid out sooner than a worker would have been asked. */
const AT_ONCE = 100

interface LaidOut {
  /** Undefined until the first is there. */
  readonly laid: Layout | undefined
  /** Lays everything out anew, as if nothing had stood anywhere. */
  tidy(): void
  /** Whether tasks stand where they stood before something was added. */
  readonly untidy: boolean
}

/** A layout of what is there now: what was there before stays where it was. */
export function useLayout(uuids: readonly string[], edges: readonly LayoutEdge[]): LaidOut {
  const shape = `${uuids.join()} ${edges.map(({ taskUuid, dependsOnUuid }) => taskUuid + dependsOnUuid).join()}`
  const memory = useRef<Memory>(undefined)
  const worker = useRef<Worker>(undefined)
  const count = useRef(0)
  const [round, setRound] = useState(0)
  const [tidied, setTidied] = useState(shape)
  const [elsewhere, setElsewhere] = useState<Layout>()
  const here = useMemo(
    () => (uuids.length > AT_ONCE ? undefined : layout(uuids, edges, memory.current)),
    [shape, round],
  )
  useEffect(
    () => () => {
      worker.current?.terminate()
      worker.current = undefined
    },
    [],
  )
  useEffect(() => {
    if (here !== undefined) {
      memory.current = here.memory
      return
    }
    worker.current ??= new Worker(new URL("./layout-worker.ts", import.meta.url), { type: "module" })
    // What was asked before is no longer of interest: the newest answer is the one that counts.
    const asked = new AbortController()
    const id = ++count.current
    const take = ({ data }: MessageEvent<{ readonly id: number; readonly layout: Layout }>) => {
      if (data.id !== id) return
      memory.current = data.layout.memory
      setElsewhere(data.layout)
    }
    worker.current.addEventListener("message", take, { signal: asked.signal })
    worker.current.postMessage({ id, uuids, edges, before: memory.current } satisfies LayoutRequest, [])
    return () => asked.abort()
  }, [shape, round, here])
  const tidy = useCallback(() => {
    memory.current = undefined
    setTidied(shape)
    setRound((last) => last + 1)
  }, [shape])
  return { laid: here ?? elsewhere, tidy, untidy: tidied !== shape }
}
