import type { deliveries, OutputOf } from "@chorus/contracts"
import { Badge, Button, When } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { Pending, Row, Rows, Section } from "./Section.tsx"

type Answer = OutputOf<typeof deliveries.listDeliveries>

const follow = reloadWhen<Answer>((event) => event.entityType === "delivery" && event.kind !== "delivery.queued")

/** What was given up on its way out, why, and what to do about it. */
export function UndeliveredSection() {
  const text = useText()
  const loaded = useOperation("chorus_list_deliveries", { state: "dead", pageSize: 100 }, follow)
  const { answer, reload } = loaded
  if (answer === undefined) return <Pending of={loaded} rows={2} />
  return (
    <Section title={text("settings.undelivered")} lead={text("settings.undelivered.lead")}>
      {answer.deliveries.length === 0 && <p className="text-sm text-muted">{text("settings.undelivered.none")}</p>}
      {answer.deliveries.length > 0 && (
        <Rows>
          {answer.deliveries.map((delivery) => (
            <DeadLetter key={delivery.uuid} delivery={delivery} onChanged={reload} />
          ))}
        </Rows>
      )}
    </Section>
  )
}

function DeadLetter({ delivery, onChanged }: { readonly delivery: deliveries.DeliveryRow; onChanged(): void }) {
  const text = useText()
  const again = useAction("chorus_redeliver")
  const dismiss = useAction("chorus_dismiss_delivery")
  const input = { deliveryUuid: delivery.uuid }
  return (
    <Row>
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2 text-sm">
          <Badge tone="failed">{text(`settings.undelivered.${delivery.kind}`)}</Badge>
          <span className="min-w-0 break-words">{delivery.title}</span>
        </p>
        <p className="mt-0.5 text-xs break-words text-muted">
          {text("settings.undelivered.to", { name: delivery.to })}
          {" · "}
          {text("settings.undelivered.tried", { count: delivery.attempts })}
          {" · "}
          <When at={delivery.settledAt ?? delivery.createdAt} />
        </p>
        {delivery.lastError !== null && <p className="mt-1 text-sm break-words text-failed">{delivery.lastError}</p>}
        {delivery.next !== null && <p className="text-sm break-words text-muted">{delivery.next}</p>}
      </div>
      <Button disabled={dismiss.busy} onClick={() => void dismiss.run(input).then(onChanged)}>
        {text("settings.undelivered.dismiss")}
      </Button>
      <Button tone="primary" disabled={again.busy} onClick={() => void again.run(input).then(onChanged)}>
        {text("settings.undelivered.again")}
      </Button>
    </Row>
  )
}
