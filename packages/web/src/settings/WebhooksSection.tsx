import type { OutputOf, webhooks } from "@chorus/contracts"
import { Ellipsis, Plus } from "lucide-react"
import { type FormEvent, useId, useState } from "react"
import { Badge } from "../design/Badge.tsx"
import { Button, IconButton } from "../design/Button.tsx"
import { Dialog } from "../design/Dialog.tsx"
import { Checkbox, Field, Input } from "../design/Field.tsx"
import { Menu, MenuItem } from "../design/Menu.tsx"
import { SkeletonRows } from "../design/Skeleton.tsx"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { Secret } from "./Secret.tsx"
import { Row, Rows, Section } from "./Section.tsx"

type Webhook = OutputOf<typeof webhooks.listWebhooks>["webhooks"][number]

export function WebhooksSection() {
  const text = useText()
  const { answer, reload } = useOperation("chorus_list_webhooks", { pageSize: 100 })
  const [making, setMaking] = useState(false)
  const [secret, setSecret] = useState<string>()
  if (answer === undefined) return <SkeletonRows rows={2} />
  return (
    <Section
      title={text("settings.webhooks")}
      lead={text("settings.webhooks.lead")}
      action={
        <Button tone="primary" icon={Plus} onClick={() => setMaking(true)}>
          {text("settings.webhooks.new")}
        </Button>
      }
    >
      {answer.webhooks.length === 0 && <p className="text-sm text-muted">{text("settings.webhooks.none")}</p>}
      {answer.webhooks.length > 0 && (
        <Rows>
          {answer.webhooks.map((webhook) => (
            <WebhookLine key={webhook.uuid} webhook={webhook} onChanged={reload} />
          ))}
        </Rows>
      )}
      {making && (
        <NewWebhook
          onClose={() => setMaking(false)}
          onMade={(made) => {
            setMaking(false)
            setSecret(made)
            reload()
          }}
        />
      )}
      <Dialog open={secret !== undefined} onOpenChange={() => setSecret(undefined)} title={text("settings.webhooks.secret")} description={text("settings.webhooks.secretLead")}>
        {secret !== undefined && <Secret value={secret} label={text("settings.webhooks.secret")} />}
      </Dialog>
    </Section>
  )
}

function WebhookLine({ webhook, onChanged }: { readonly webhook: Webhook; onChanged(): void }) {
  const text = useText()
  const update = useAction("chorus_update_webhook")
  const remove = useAction("chorus_delete_webhook")
  return (
    <Row>
      <div className="min-w-0 flex-1">
        <p className="truncate font-mono text-sm">{webhook.url}</p>
        <p className="mt-0.5 flex flex-wrap gap-1">
          {!webhook.active && <Badge tone="waiting">{text("settings.webhooks.paused")}</Badge>}
          {webhook.kinds.map((kind) => (
            <Badge key={kind}>{kind}</Badge>
          ))}
        </p>
      </div>
      <Menu align="end" trigger={<IconButton icon={Ellipsis} label={text("action.more")} />}>
        <MenuItem onSelect={() => void update.run({ webhookUuid: webhook.uuid, active: !webhook.active }).then(onChanged)}>
          {text(webhook.active ? "settings.webhooks.pause" : "settings.webhooks.resume")}
        </MenuItem>
        <MenuItem danger onSelect={() => void remove.run({ webhookUuid: webhook.uuid }).then(onChanged)}>
          {text("action.delete")}
        </MenuItem>
      </Menu>
    </Row>
  )
}

function NewWebhook({ onClose, onMade }: { onClose(): void; onMade(secret: string): void }) {
  const text = useText()
  const formId = useId()
  const [allowPrivate, setAllowPrivate] = useState(false)
  const create = useAction("chorus_create_webhook")
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const kinds = String(form.get("kinds")).split(/[\s,]+/).filter(Boolean)
    const made = await create.run({ url: String(form.get("url")), kinds, allowPrivate })
    if (made !== undefined) onMade(made.secret)
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={text("settings.webhooks.new")}
      footer={
        <>
          <Button onClick={onClose}>{text("action.cancel")}</Button>
          <Button tone="primary" type="submit" form={formId} disabled={create.busy}>
            {text("action.create")}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={(event) => void submit(event)} className="grid gap-4">
        <Field label={text("settings.webhooks.url")}>{(ids) => <Input {...ids} name="url" type="url" required autoFocus placeholder="https://" />}</Field>
        <Field label={text("settings.webhooks.kinds")} hint={text("settings.webhooks.kindsHint")}>
          {(ids) => <Input {...ids} name="kinds" required defaultValue="*" />}
        </Field>
        <Checkbox checked={allowPrivate} onChange={setAllowPrivate} label={text("settings.webhooks.private")} />
      </form>
    </Dialog>
  )
}
