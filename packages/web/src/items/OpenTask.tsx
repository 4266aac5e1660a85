import { lazy, Suspense } from "react"
import { SidePanel } from "../design/index.ts"
import { useItemSearch } from "./use-item-search.ts"

const TaskPanel = lazy(async () => ({ default: (await import("../tasks/TaskPanel.tsx")).TaskPanel }))

/** The task that the address names, beside what it was chosen from. */
export function OpenTask({ title }: { readonly title: string }) {
  const { search, set } = useItemSearch()
  const { task } = search
  const close = () => set({ task: undefined }, { replace: false })
  return (
    <SidePanel open={task !== undefined} onOpenChange={close} title={title}>
      <Suspense>{task !== undefined && <TaskPanel key={task} taskUuid={task} onClose={close} />}</Suspense>
    </SidePanel>
  )
}
