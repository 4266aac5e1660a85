import { type FormEvent, useState } from "react"
import { Button, Field, Input, isTyping, Switch, toast, Unsaved } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { isSteward } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { Pending, Section } from "./Section.tsx"

/** What holds where nobody has set anything, for a session as for a claim. */
const USUAL_MINUTES = 60

/** As their makers write them. */
const ENGINE = { sqlite: "SQLite", postgres: "PostgreSQL" } as const

export function WorkspaceSection() {
  const text = useText()
  const { person } = useSignedIn()
  const loaded = useOperation("chorus_get_work_settings", {})
  const { answer } = loaded
  const health = useOperation("chorus_health", {}).answer
  const update = useAction("chorus_update_work_settings")
  const [changed, setChanged] = useState(false)
  if (answer === undefined) return <Pending of={loaded} rows={2} />
  const disabled = !isSteward(person)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const minutes = {
      sessionInactiveMinutes: Number(form.get("inactive")),
      leaseMinutes: Number(form.get("lease")),
    }
    if (await save(minutes)) setChanged(false)
  }
  const save = async (changes: Parameters<typeof update.run>[0]) => {
    if ((await update.run(changes)) === undefined) return false
    toast(text("action.saved"))
    loaded.reload()
    return true
  }
  const hint = text("settings.work.minutes", { count: USUAL_MINUTES, watched: answer.watchedMinutes })
  return (
    <>
      <Section title={text("settings.workspace")} lead={disabled ? text("settings.stewardOnly") : undefined}>
        <Unsaved changed={changed} />
        <form
          onInput={(event) => setChanged(changed || isTyping(event.target))}
          onSubmit={(event) => void submit(event)}
          className="grid max-w-md gap-4"
        >
          <Field label={text("settings.work.inactive")} hint={hint}>
            {(ids) => (
              <Input
                {...ids}
                name="inactive"
                type="number"
                min={1}
                max={10_080}
                required
                disabled={disabled}
                defaultValue={answer.sessionInactiveMinutes}
              />
            )}
          </Field>
          <Field label={text("settings.work.lease")} hint={hint}>
            {(ids) => (
              <Input
                {...ids}
                name="lease"
                type="number"
                min={1}
                max={10_080}
                required
                disabled={disabled}
                defaultValue={answer.leaseMinutes}
              />
            )}
          </Field>
          <Switch
            label={text("settings.work.lapsed")}
            hint={text("settings.work.lapsedHint")}
            disabled={disabled || update.busy}
            checked={answer.lapsedTasks === "return"}
            onChange={(returns) => void save({ lapsedTasks: returns ? "return" : "keep" })}
          />
          <div>
            <Button tone="primary" type="submit" disabled={disabled || update.busy}>
              {text("action.save")}
            </Button>
          </div>
        </form>
      </Section>
      {health !== undefined && (
        <dl className="grid max-w-md grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm text-muted">
          <dt>{text("settings.version")}</dt>
          <dd className="font-mono">{health.version}</dd>
          <dt>{text("settings.database")}</dt>
          <dd className="font-mono">{ENGINE[health.engine]}</dd>
        </dl>
      )}
    </>
  )
}
