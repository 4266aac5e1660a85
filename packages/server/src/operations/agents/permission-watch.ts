import { lastPosition, type Store } from "@chorus/store"

const GATHER_MS = 100

export interface PermissionWatch {
  close(): void
}

/** Tells when what agents may do has changed, whichever server process changed it. */
export async function watchPermissions(
  store: Store,
  workspaceUuid: string,
  onChange: () => void,
): Promise<PermissionWatch> {
  let seen = await lastPosition(store.db, workspaceUuid)
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const stopListening = store.onGrowth((grown) => {
    if (grown === workspaceUuid && !isClosed) timer ??= setTimeout(() => void look(), GATHER_MS).unref()
  })
  return {
    close: () => {
      isClosed = true
      clearTimeout(timer)
      stopListening()
    },
  }

  async function look(): Promise<void> {
    timer = undefined
    try {
      const last = await lastPosition(store.db, workspaceUuid)
      const rows = await store.db
        .selectFrom("events")
        .select(["kind", "patch"])
        .where("workspaceUuid", "=", workspaceUuid)
        .where("id", ">", seen)
        .where("id", "<=", last)
        .where("kind", "in", ["agent.updated", "member.updated"])
        .execute()
      seen = last
      if (!isClosed && rows.some(({ kind, patch }) => changesTools(kind, JSON.parse(patch) as object))) onChange()
    } catch {
      // The store is away or closing; the next growth looks again from the same place.
    }
  }
}

/** An agent's own bits, and the role of a person, which bounds those of their agents. */
export function changesTools(kind: string, patch: object): boolean {
  if (kind === "agent.updated") return "permissions" in patch || "ownerUuid" in patch || "archivedAt" in patch
  return kind === "member.updated" && ("role" in patch || "disabledAt" in patch)
}
