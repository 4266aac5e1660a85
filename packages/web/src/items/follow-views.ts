import type { OutputOf, views } from "@chorus/contracts"
import { reloadWhen } from "../live/follow.ts"

/** Others share views and take them back; one's own are asked for anew after each change, as the log does not tell of them. */
export const followViews = reloadWhen<OutputOf<typeof views.listViews>>(({ entityType }) => entityType === "view")
