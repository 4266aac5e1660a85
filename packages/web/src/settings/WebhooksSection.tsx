import type { OutputOf, webhooks } from "@chorus/contracts"
import { Ellipsis, Plus } from "lucide-react"
import { useState } from "react"
import { Badge, Button, Checkbox, Field, IconButton, Input, Menu, MenuItem } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { ConfirmDialog } from "./ConfirmDialog.tsx"
import { FormDialog, wordsIn } from "./FormDialog.tsx"
import { Pending, Row, Rows, Section } from "./Section.tsx"
import { SecretDialog } from "./SecretDialog.tsx"

type Webhook = OutputOf<typeof webhooks.listWebhooks>["webhooks"][number]

export function WebhooksSection() {
  const text = useText()
  const loaded = useOperation("chorus_list_webhooks", { pageSize: 100 })
  const { answer, reload } = loaded
  const [making, setMaking] = useState(false)
  const [secret, setSecret] = useState<string>()
  if (answer === undefined) return <Pending of={loaded} rows={2} />
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
      {secret !== undefined && (
        <SecretDialog
          title={text("settings.webhooks.secret")}
          lead={text("settings.webhooks.secretLead")}
          label={text("settings.webhooks.secret")}
          value={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </Section>
  )
}

function WebhookLine({ webhook, onChanged }: { readonly webhook: Webhook; onChanged(): void }) {
  const text = useText()
  const update = useAction("chorus_update_webhook")
  const remove = useAction("chorus_delete_webhook")
  const [asking, setAsking] = useState(false)
  return (
    <Row>
      <div className="min-w-0 flex-1">
        <p className="truncate font-mono text-sm" title={webhook.url}>
          {webhook.url}
        </p>
        <p className="mt-0.5 flex flex-wrap gap-1">
          {!webhook.active && <Badge tone="waiting">{text("settings.webhooks.paused")}</Badge>}
          {webhook.kinds.map((kind) => (
            <Badge key={kind}>{kind}</Badge>
          ))}
        </p>
      </div>
      <Menu align="end" trigger={<IconButton icon={Ellipsis} label={text("action.moreOf", { name: webhook.url })} />}>
        <MenuItem
          onSelect={() => void update.run({ webhookUuid: webhook.uuid, active: !webhook.active }).then(onChanged)}
        >
          {text(webhook.active ? "settings.webhooks.pause" : "settings.webhooks.resume")}
        </MenuItem>
        <MenuItem danger onSelect={() => setAsking(true)}>
          {text("action.delete")}
        </MenuItem>
      </Menu>
      {asking && (
        <ConfirmDialog
          title={text("settings.webhooks.deleteTitle")}
          lead={text("settings.webhooks.deleteLead", { url: webhook.url })}
          confirm={text("action.delete")}
          onClose={() => setAsking(false)}
          onConfirm={() => void remove.run({ webhookUuid: webhook.uuid }).then(onChanged)}
        />
      )}
    </Row>
  )
}

function NewWebhook({ onClose, onMade }: { onClose(): void; onMade(secret: string): void }) {
  const text = useText()
  const [allowPrivate, setAllowPrivate] = useState(false)
  const create = useAction("chorus_create_webhook")
  const submit = async (form: FormData) => {
    const kinds = wordsIn(form, "kinds")
      .split(/[\s,]+/)
      .filter(Boolean)
    const made = await create.run({ url: wordsIn(form, "url"), kinds, allowPrivate })
    if (made !== undefined) onMade(made.secret)
  }
  return (
    <FormDialog
      title={text("settings.webhooks.new")}
      submit={text("action.create")}
      busy={create.busy}
      onClose={onClose}
      onSubmit={(form) => void submit(form)}
    >
      <Field label={text("settings.webhooks.url")}>
        {(ids) => <Input {...ids} name="url" type="url" required autoFocus placeholder="https://" />}
      </Field>
      <Field label={text("settings.webhooks.kinds")} hint={text("settings.webhooks.kindsHint")}>
        {(ids) => <Input {...ids} name="kinds" required defaultValue="*" />}
      </Field>
      <Checkbox checked={allowPrivate} onChange={setAllowPrivate} label={text("settings.webhooks.private")} />
    </FormDialog>
  )
}
