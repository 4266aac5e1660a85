/** A task draft as a node of the graph of drafts. */
export interface DraftNode {
  readonly uuid: string
  readonly title: string
  readonly dependsOnDraftUuids: readonly string[]
}

export interface DanglingDependency {
  readonly uuid: string
  readonly title: string
  readonly missing: string
}

/** Dependencies on drafts that are not there. */
export function danglingDependencies(drafts: readonly DraftNode[]): DanglingDependency[] {
  const known = new Set(drafts.map((draft) => draft.uuid))
  return drafts.flatMap(({ uuid, title, dependsOnDraftUuids }) =>
    dependsOnDraftUuids.filter((missing) => !known.has(missing)).map((missing) => ({ uuid, title, missing })),
  )
}

/** Circles of drafts that wait for each other, at least one in each such group; a draft that waits for itself is one, too. */
export function dependencyCircles<Node extends DraftNode>(drafts: readonly Node[]): Node[][] {
  const byUuid = new Map(drafts.map((draft) => [draft.uuid, draft]))
  const state = new Map<string, "open" | "closed">()
  const circles: Node[][] = []
  for (const start of drafts) {
    if (state.has(start.uuid)) continue
    const path: { node: Node; next: number }[] = [{ node: start, next: 0 }]
    state.set(start.uuid, "open")
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const wanted = top.node.dependsOnDraftUuids[top.next++]
      if (wanted === undefined) {
        state.set(top.node.uuid, "closed")
        path.pop()
        continue
      }
      const node = byUuid.get(wanted)
      if (node === undefined || state.get(wanted) === "closed") continue
      if (state.get(wanted) === "open") {
        circles.push(path.slice(path.findIndex((step) => step.node.uuid === wanted)).map((step) => step.node))
        continue
      }
      state.set(wanted, "open")
      path.push({ node, next: 0 })
    }
  }
  return circles
}
