/** Collects what comes and hands it on together: with the next frame, or within a second where no frames are drawn. */
export function frameBatch<Item>(handle: (items: readonly Item[]) => void): (item: Item) => void {
  let items: Item[] = []
  let scheduled = false
  const flush = () => {
    if (!scheduled) return
    scheduled = false
    clearTimeout(timer)
    const batch = items
    items = []
    handle(batch)
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  return (item) => {
    items.push(item)
    if (scheduled) return
    scheduled = true
    requestAnimationFrame(flush)
    timer = setTimeout(flush, 1000)
  }
}
