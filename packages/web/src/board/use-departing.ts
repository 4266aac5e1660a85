import { useEffect, useRef, useState } from "react"

const LEAVE_MS = 180

interface Seen<Item> {
  readonly item: Item
  readonly leaving: boolean
}

/** Keeps what has just gone for a moment, marked, so that it can be seen to leave. */
export function useDeparting<Item extends { readonly uuid: string }>(items: readonly Item[]): readonly Seen<Item>[] {
  const before = useRef(items)
  const [gone, setGone] = useState<readonly Item[]>([])
  useEffect(() => {
    const now = new Set(items.map(({ uuid }) => uuid))
    const left = before.current.filter(({ uuid }) => !now.has(uuid))
    before.current = items
    if (left.length === 0) return
    setGone((current) => [...current, ...left])
    const timer = setTimeout(() => setGone((current) => current.filter((item) => !left.includes(item))), LEAVE_MS)
    return () => clearTimeout(timer)
  }, [items])
  const here = new Set(items.map(({ uuid }) => uuid))
  return [...items.map((item) => ({ item, leaving: false })), ...gone.filter(({ uuid }) => !here.has(uuid)).map((item) => ({ item, leaving: true }))]
}
