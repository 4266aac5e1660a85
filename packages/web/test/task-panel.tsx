import type { Role } from "@chorus/contracts"
import { vi } from "vitest"
import { TaskPanel } from "../src/tasks/TaskPanel.tsx"
import { showRouted } from "./stage.tsx"

/** A task as it stands beside the board, without the board. */
export async function showTask(taskUuid: string, role: Role = "owner") {
  const onClose = vi.fn()
  const { screen, router } = await showRouted(<TaskPanel taskUuid={taskUuid} onClose={onClose} />, { role })
  return { screen, router, onClose }
}
