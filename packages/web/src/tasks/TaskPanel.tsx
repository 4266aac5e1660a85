import { SkeletonRows } from "../design/Skeleton.tsx"

interface TaskPanelProps {
  readonly taskUuid: string
  onClose(): void
}

/** A task beside the board it was opened from. */
export function TaskPanel({ taskUuid }: TaskPanelProps) {
  return (
    <div data-task={taskUuid} className="p-6">
      <SkeletonRows />
    </div>
  )
}
