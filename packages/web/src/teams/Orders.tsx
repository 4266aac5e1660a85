import { CircleAlert, CircleCheck, Clock } from "lucide-react"
import { type TextKey, useText } from "../i18n/language.ts"
import { When } from "../design/index.ts"
import type { Team } from "./team.ts"

/** What people asked of the team, and whether it has arrived. */
export function Orders({ orders }: { readonly orders: Team["orders"] }) {
  const text = useText()
  if (orders.length === 0) return null
  return (
    <ul aria-label={text("teams.orders")} className="grid grid-cols-1 gap-1 text-xs text-muted">
      {orders.slice(0, 5).map((order) => (
        <li key={order.uuid} className="flex flex-wrap items-center gap-x-2">
          {order.error !== null ? (
            <CircleAlert aria-hidden className="size-3.5 text-failed" />
          ) : order.deliveredAt === null ? (
            <Clock aria-hidden className="size-3.5 text-waiting" />
          ) : (
            <CircleCheck aria-hidden className="size-3.5 text-done" />
          )}
          <span className="min-w-0 flex-1 truncate">
            {text(ORDER_KIND[order.what] ?? "teams.order.other", { name: order.to })}
          </span>
          <span>{text("teams.orderBy", { name: order.by })}</span>
          <span>{order.error ?? text(settledWords(order))}</span>
          <When at={order.createdAt} />
          {order.next !== null && (
            <span className="basis-full pl-5.5 wrap-anywhere">
              {order.next}
              {order.what === "land" && order.error === null && ` · ${text("teams.mergedNext")}`}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

function settledWords({ what, deliveredAt }: Team["orders"][number]): TextKey {
  if (deliveredAt === null) return "teams.undelivered"
  return what === "land" ? "teams.merged" : "teams.delivered"
}

const ORDER_KIND: Readonly<Record<string, TextKey>> = {
  land: "teams.order.land",
  message: "teams.order.message",
  shutdown: "teams.order.shutdown",
  plan: "teams.order.plan",
  permission: "teams.order.permission",
}
