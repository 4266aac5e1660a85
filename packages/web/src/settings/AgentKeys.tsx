import type { agents, OutputOf } from "@chorus/contracts"
import { KeyRound, Plus } from "lucide-react"
import { type FormEvent, useId, useMemo, useState } from "react"
import { Button } from "../design/Button.tsx"
import { Dialog } from "../design/Dialog.tsx"
import { Field, Input, Select } from "../design/Field.tsx"
import { Skeleton } from "../design/Skeleton.tsx"
import { toast } from "../design/toasts.ts"
import { useFormat } from "../i18n/format.ts"
import { useText } from "../i18n/language.ts"
import { followRows } from "../live/follow.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { Secret } from "./Secret.tsx"

type Answer = OutputOf<typeof agents.listKeys>

const LIFETIMES = [7, 30, 90, 365]

/** The keys of one agent. A key itself is seen once, when it is made. */
export function AgentKeys({ agentUuid }: { readonly agentUuid: string }) {
  const text = useText()
  const follow = useMemo(
    () =>
      followRows<Answer, agents.KeyRow>({
        entityType: "key",
        rowsOf: ({ keys }) => keys,
        withRows: (answer, keys) => ({ ...answer, keys: [...keys] }),
        belongs: (key) => key.agentUuid === agentUuid,
        append: true,
      }),
    [agentUuid],
  )
  const { answer } = useOperation("chorus_list_keys", { agentUuid, pageSize: 100 }, follow)
  const [making, setMaking] = useState(false)
  const [shown, setShown] = useState<string>()
  const keys = answer?.keys.filter(({ revokedAt }) => revokedAt === null) ?? []
  return (
    <div className="border-t border-line px-4 py-2">
      {answer === undefined && <Skeleton className="my-2 h-5 w-48" />}
      <ul>
        {keys.map((key) => (
          <KeyLine key={key.uuid} row={key} onMade={setShown} />
        ))}
      </ul>
      <div className="flex items-center gap-3 py-1">
        {answer !== undefined && keys.length === 0 && <p className="flex-1 text-sm text-muted">{text("settings.keys.none")}</p>}
        <Button size="sm" tone="ghost" icon={Plus} onClick={() => setMaking(true)}>
          {text("settings.keys.new")}
        </Button>
      </div>
      {making && (
        <NewKey
          agentUuid={agentUuid}
          onClose={() => setMaking(false)}
          onMade={(key) => {
            setMaking(false)
            setShown(key)
          }}
        />
      )}
      <Dialog
        open={shown !== undefined}
        onOpenChange={() => setShown(undefined)}
        title={text("settings.keys.once")}
        description={text("settings.keys.onceLead")}
        footer={
          <Button tone="primary" onClick={() => setShown(undefined)}>
            {text("settings.keys.copied")}
          </Button>
        }
      >
        {shown !== undefined && <Secret value={shown} label={text("settings.keys")} />}
      </Dialog>
    </div>
  )
}

function KeyLine({ row, onMade }: { readonly row: agents.KeyRow; onMade(key: string): void }) {
  const text = useText()
  const format = useFormat()
  const revoke = useAction("chorus_revoke_key")
  const rotate = useAction("chorus_rotate_key")
  const replace = async () => {
    const made = await rotate.run({ keyUuid: row.uuid })
    if (made !== undefined) onMade(made.key)
  }
  const end = async () => {
    if ((await revoke.run({ keyUuid: row.uuid })) !== undefined) toast(text("settings.keys.revoked"))
  }
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 text-sm">
      <KeyRound aria-hidden className="size-4 text-faint" />
      <span className="font-medium">{row.name}</span>
      <code className="text-xs text-faint">{row.prefix}…</code>
      <span className="flex-1 text-xs text-faint">
        {row.lastUsedAt === null ? text("settings.keys.unused") : text("settings.keys.used", { when: format.ago(row.lastUsedAt) })}
        {row.expiresAt !== null && ` · ${text("settings.keys.ends", { when: format.ago(row.expiresAt) })}`}
      </span>
      <span className="-mr-2.5 ml-auto flex gap-1">
        <Button size="sm" tone="ghost" onClick={() => void replace()}>
          {text("settings.keys.rotate")}
        </Button>
        <Button size="sm" tone="ghost" onClick={() => void end()}>
          {text("settings.keys.revoke")}
        </Button>
      </span>
    </li>
  )
}

interface NewKeyProps {
  readonly agentUuid: string
  onClose(): void
  onMade(key: string): void
}

function NewKey({ agentUuid, onClose, onMade }: NewKeyProps) {
  const text = useText()
  const formId = useId()
  const create = useAction("chorus_create_key")
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const days = Number(form.get("days"))
    const made = await create.run({ agentUuid, name: String(form.get("name")).trim(), ...(days > 0 ? { expiresInDays: days } : {}) })
    if (made !== undefined) onMade(made.key)
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={text("settings.keys.new")}
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
        <Field label={text("settings.keys.name")}>{(ids) => <Input {...ids} name="name" required maxLength={80} autoFocus placeholder={text("settings.keys.nameExample")} />}</Field>
        <Field label={text("settings.keys.expires")}>
          {(ids) => (
            <Select {...ids} name="days" defaultValue="0">
              <option value="0">{text("settings.keys.never")}</option>
              {LIFETIMES.map((days) => (
                <option key={days} value={days}>
                  {text("settings.keys.days", { count: days })}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </form>
    </Dialog>
  )
}
