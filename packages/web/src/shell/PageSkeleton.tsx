import { Skeleton, SkeletonRows } from "../design/Skeleton.tsx"

/** The outline of a page whose code is on its way. */
export function PageSkeleton() {
  return (
    <main id="main" tabIndex={-1} className="flex-1">
      <div className="flex h-12 items-center border-b border-line px-6">
        <Skeleton className="h-5 w-32" />
      </div>
      <div className="mx-auto max-w-5xl p-6">
        <SkeletonRows />
      </div>
    </main>
  )
}
