import { Skeleton, SkeletonRows } from "../design/index.ts"

/** The outline of a page whose code is on its way. */
export function PageSkeleton() {
  return (
    <main id="main" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto">
      <div className="border-b border-line">
        <div className="flex h-12 items-center px-4 md:px-6">
          <Skeleton className="h-5 w-32" />
        </div>
      </div>
      <div className="max-w-5xl p-4 md:p-6">
        <SkeletonRows />
      </div>
    </main>
  )
}
