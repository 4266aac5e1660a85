import type { agents, OutputOf } from "@chorus/contracts"
import { KeyRound, Plus } from "lucide-react"
import { useMemo, useState } from "react"
import { Button, Field, Input, Problem, Select, Skeleton, toast } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { followRows } from "../live/follow.ts"
import type { Follow } from "../live/live-store.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { ConfirmDialog } from "./ConfirmDialog.tsx"
import { FormDialog, wordsIn } from "./FormDialog.tsx"
import { SecretDialog } from "./SecretDialog.tsx"

type Answer = OutputOf<typeof agents.listKeys>

const LIFETIMES = [7, 30, 90, 365]

export function followKeys(agentUuid: string): Follow<Answer> {
  return followRows<Answer>({
    entity: "key",
    rows: "keys",
    belongs: (key) => key.agentUuid === agentUuid,
  })
}

/** The keys of one agent. A key itself is seen once, when it is made. */
export function AgentKeys({ agentUuid }: { readonly agentUuid: string }) {
  const text = useText()
  const follow = useMemo(() => followKeys(agentUuid), [agentUuid])
  const { answer, status, error, reload } = useOperation("chorus_list_keys", { agentUuid, pageSize: 100 }, follow)
  const [making, setMaking] = useState(false)
  const [shown, setShown] = useState<string>()
  const keys = answer?.keys.filter(({ revokedAt }) => revokedAt === null) ?? []
  return (
    <div className="border-t border-line px-4 py-2">
      {status === "loading" && <Skeleton className="my-2 h-5 w-48" />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      <ul>
        {keys.map((key) => (
          <KeyLine key={key.uuid} row={key} onMade={setShown} />
        ))}
      </ul>
      <div className="flex items-center gap-3 py-1">
        {answer !== undefined && keys.length === 0 && (
          <p className="flex-1 text-sm text-muted">{text("settings.keys.none")}</p>
        )}
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
      {shown !== undefined && (
        <SecretDialog
          title={text("settings.keys.once")}
          lead={text("settings.keys.onceLead")}
          label={text("settings.keys.key")}
          value={shown}
          onClose={() => setShown(undefined)}
        />
      )}
    </div>
  )
}

function KeyLine({ row, onMade }: { readonly row: agents.KeyRow; onMade(key: string): void }) {
  const text = useText()
  const format = useFormat()
  const revoke = useAction("chorus_revoke_key")
  const rotate = useAction("chorus_rotate_key")
  const [asking, setAsking] = useState<"rotate" | "revoke">()
  const ended = row.expiresAt !== null && Date.parse(row.expiresAt) <= Date.now()
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
      <span className="flex-1 basis-28 text-xs text-faint">
        {row.lastUsedAt === null
          ? text("settings.keys.unused")
          : text("settings.keys.used", { when: format.ago(row.lastUsedAt) })}
        {row.expiresAt !== null && (
          <span
            title={format.dateTime(row.expiresAt)}
          >{` · ${text(ended ? "settings.keys.ended" : "settings.keys.ends", { when: format.ago(row.expiresAt) })}`}</span>
        )}
      </span>
      <span className="-mr-2.5 ml-auto flex gap-1">
        {!ended && (
          <Button size="sm" tone="ghost" disabled={rotate.busy} onClick={() => setAsking("rotate")}>
            {text("settings.keys.rotate")}
          </Button>
        )}
        <Button size="sm" tone="ghost" disabled={revoke.busy} onClick={() => setAsking("revoke")}>
          {text("settings.keys.revoke")}
        </Button>
      </span>
      {asking !== undefined && (
        <ConfirmDialog
          title={text(`settings.keys.${asking}Title`, { name: row.name })}
          lead={text(`settings.keys.${asking}Lead`)}
          confirm={text(`settings.keys.${asking}`)}
          onClose={() => setAsking(undefined)}
          onConfirm={() => void (asking === "rotate" ? replace() : end())}
        />
      )}
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
  const create = useAction("chorus_create_key")
  const submit = async (form: FormData) => {
    const days = Number(form.get("days"))
    const made = await create.run({
      agentUuid,
      name: wordsIn(form, "name"),
      ...(days > 0 ? { expiresInDays: days } : {}),
    })
    if (made !== undefined) onMade(made.key)
  }
  return (
    <FormDialog
      title={text("settings.keys.new")}
      submit={text("action.create")}
      busy={create.busy}
      onClose={onClose}
      onSubmit={(form) => void submit(form)}
    >
      <Field label={text("settings.keys.name")}>
        {(ids) => (
          <Input
            {...ids}
            name="name"
            required
            maxLength={80}
            autoFocus
            placeholder={text("settings.keys.nameExample")}
          />
        )}
      </Field>
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
    </FormDialog>
  )
}
