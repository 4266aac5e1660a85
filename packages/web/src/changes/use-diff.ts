import { useCallback, useEffect, useRef, useState } from "react"
import type { ShownRow } from "./diff-rows.ts"
import type { DiffAnswer, DiffRequest } from "./diff-worker.ts"
import type { Shade } from "./syntax.ts"

/** How long the colours of one file may take; some texts are made to take forever. */
const SHADE_MS = 3000
const ROOM = 20_000_000

export interface Shown {
  readonly taskUuid: string
  /** The newest where none is named. */
  readonly version: number | null
  readonly since: number | null
  readonly ignoreSpace: boolean
}

export interface Diff {
  readonly rows: ReadonlyMap<string, readonly ShownRow[]>
  readonly shades: ReadonlyMap<string, readonly (readonly Shade[])[]>
  readonly failed: string | undefined
  /** Loads a file that was left closed. */
  open(path: string): void
  /** Shows a file whole, with what did not change. */
  whole(path: string, sha256: string): void
}

/** The rows of a change, read and compared in a worker so that the page stays free to scroll. */
export function useDiff({ taskUuid, version, since, ignoreSpace }: Shown): Diff {
  const [rows, setRows] = useState<Diff["rows"]>(new Map())
  const [shades, setShades] = useState<Diff["shades"]>(new Map())
  const [failed, setFailed] = useState<string>()
  const ask = useRef<(request: DiffRequest) => void>(() => undefined)
  const url = `/api/v1/chorus_get_change?${new URLSearchParams({
    taskUuid,
    ...(version === null ? {} : { version: String(version) }),
    ...(since === null ? {} : { since: String(since) }),
    room: String(ROOM),
  }).toString()}`
  useEffect(() => {
    let waiting: string[] = []
    let deadline: ReturnType<typeof setTimeout> | undefined
    let colours = true
    let worker = begin()
    setRows(new Map())
    setShades(new Map())
    setFailed(undefined)

    function begin(): Worker {
      const begun = new Worker(new URL("./diff-worker.ts", import.meta.url), { type: "module" })
      begun.addEventListener("message", hear)
      begun.postMessage({ ask: "open", url, ignoreSpace } satisfies DiffRequest, [])
      return begun
    }

    function shadeNext(): void {
      const [path] = waiting
      if (path === undefined || !colours) return
      deadline = setTimeout(goOnWithoutColours, SHADE_MS)
      worker.postMessage({ ask: "shade", path } satisfies DiffRequest, [])
    }

    function goOnWithoutColours(): void {
      worker.terminate()
      colours = false
      waiting = []
      worker = begin()
    }

    function hear({ data }: MessageEvent<DiffAnswer>): void {
      if (data.told === "failed") return setFailed(data.reason)
      if (data.told === "rows") {
        setRows((before) => new Map([...before, ...Object.entries(data.files)]))
        const idle = waiting.length === 0
        waiting.push(...Object.keys(data.files))
        if (idle) shadeNext()
        return
      }
      clearTimeout(deadline)
      waiting.shift()
      setShades((before) => new Map(before).set(data.path, data.shades))
      shadeNext()
    }

    ask.current = (request) => worker.postMessage(request, [])
    return () => {
      clearTimeout(deadline)
      worker.terminate()
    }
  }, [url, ignoreSpace])
  const open = useCallback(
    (path: string) => {
      const one = `${url}&files=${encodeURIComponent(JSON.stringify([path]))}`
      ask.current({ ask: "file", url: one, path, ignoreSpace })
    },
    [url, ignoreSpace],
  )
  const whole = useCallback(
    (path: string, sha256: string) => {
      const content = new URLSearchParams({ taskUuid, sha256 }).toString()
      ask.current({ ask: "whole", url: `/api/v1/chorus_get_change_content?${content}`, path })
    },
    [taskUuid],
  )
  return { rows, shades, failed, open, whole }
}
