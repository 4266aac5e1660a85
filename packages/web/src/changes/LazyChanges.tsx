import { type ComponentType, useEffect, useState } from "react"
import { SkeletonRows } from "../design/index.ts"
import type { ChangesProps } from "./Changes.tsx"

let loaded: ComponentType<ChangesProps> | undefined

/** Brings the part of the page that shows changes, before anybody asks for it. */
export async function loadChanges(): Promise<ComponentType<ChangesProps>> {
  loaded = (await import("./Changes.tsx")).Changes
  return loaded
}

/**
 * The changes of a task, whose code comes when it is needed. Not by Suspense: that holds back what is there for a third
 * of a second.
 */
export function LazyChanges(props: ChangesProps) {
  const [Part, setPart] = useState(() => loaded)
  useEffect(() => {
    if (Part === undefined) void loadChanges().then((component) => setPart(() => component))
  }, [Part])
  return Part === undefined ? <SkeletonRows rows={4} /> : <Part {...props} />
}
