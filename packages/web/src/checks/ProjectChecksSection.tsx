import type { ProjectId, projectSettings } from "@chorus/contracts"
import { Plus, Trash2 } from "lucide-react"
import { useState } from "react"
import { Button, Field, IconButton, Input, Switch, toast, Unsaved } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { amending, useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { followRunners } from "../runs/run.ts"
import { Row, Rows, Section } from "../settings/Section.tsx"

const MOST = 20

type Settings = projectSettings.ProjectSettings
type Changes = Partial<Pick<Settings, "checks" | "returnFailedChecks" | "preview">>

interface ProjectChecksSectionProps {
  readonly projectUuid: string
  readonly projectName: string | undefined
  readonly settings: Settings
  readonly disabled: boolean
}

/** What is run on whatever is handed in: a person names it, and that is their consent. */
export function ProjectChecksSection({ projectUuid, projectName, settings, disabled }: ProjectChecksSectionProps) {
  const text = useText()
  const update = useAction("chorus_update_project_settings")
  const [items, setItems] = useState<Settings["checks"]>(settings.checks)
  const save = async (changes: Changes) => {
    const project = { projectUuid: projectUuid as ProjectId }
    const amend = [amending("chorus_get_project_settings", project, (now) => ({ ...now, ...changes }))]
    if ((await update.run({ ...project, ...changes }, { amend })) !== undefined) toast(text("action.saved"))
  }
  const change = (at: number, next: Partial<Settings["checks"][number]>) =>
    setItems(items.map((item, index) => (index === at ? { ...item, ...next } : item)))
  const proposed = useFoundChecks(projectName).filter(({ command }) => items.every((item) => item.command !== command))
  const whole = items.filter(({ name, command }) => name.trim() !== "" && command.trim() !== "")
  const named = (checks: Settings["checks"]) =>
    JSON.stringify(checks.map(({ name, command }) => [name.trim(), command.trim()]))
  return (
    <Section title={text("checks.project")} lead={text("checks.projectLead")}>
      <Unsaved changed={named(whole) !== named(settings.checks)} />
      <Rows>
        <Row>
          <div className="flex-1">
            <Switch
              label={text("checks.returnFailed")}
              hint={text("checks.returnFailedHint")}
              disabled={disabled}
              checked={settings.returnFailedChecks}
              onChange={(value) => void save({ returnFailedChecks: value })}
            />
          </div>
        </Row>
      </Rows>
      <div className="mt-4 grid gap-2">
        {items.map((item, at) => (
          <div key={at} className="flex items-center gap-2">
            <Input
              className="max-w-32"
              disabled={disabled}
              aria-label={text("checks.name", { number: at + 1 })}
              placeholder={text("checks.nameExample")}
              maxLength={80}
              value={item.name}
              onChange={(event) => change(at, { name: event.target.value })}
            />
            <Input
              className="font-mono"
              disabled={disabled}
              aria-label={text("checks.command", { number: at + 1 })}
              placeholder={text("checks.commandExample")}
              maxLength={2000}
              value={item.command}
              onChange={(event) => change(at, { command: event.target.value })}
            />
            <IconButton
              icon={Trash2}
              size="sm"
              disabled={disabled}
              label={text("checks.remove", { number: at + 1 })}
              onClick={() => setItems(items.filter((_, index) => index !== at))}
            />
          </div>
        ))}
        <div className="flex gap-2">
          <Button
            icon={Plus}
            disabled={disabled || items.length >= MOST}
            onClick={() => setItems([...items, { name: "", command: "" }])}
          >
            {text("checks.add")}
          </Button>
          <Button tone="primary" disabled={disabled || update.busy} onClick={() => void save({ checks: whole })}>
            {text("checks.save")}
          </Button>
        </div>
      </div>
      {proposed.length > 0 && (
        <div className="mt-4">
          <h3 className="mb-2 text-sm font-medium text-muted">{text("checks.found")}</h3>
          <Rows>
            {proposed.map((check) => (
              <Row key={check.command}>
                <span className="min-w-0 flex-1 wrap-anywhere">
                  {check.name} <code className="font-mono text-xs">{check.command}</code>
                </span>
                <Button
                  size="sm"
                  disabled={disabled || update.busy || whole.length >= MOST}
                  onClick={() => void save({ checks: [...whole, check] })}
                >
                  {text("checks.confirm")}
                </Button>
              </Row>
            ))}
          </Rows>
        </div>
      )}
      <PreviewCommand settings={settings} disabled={disabled || update.busy} onSave={save} />
    </Section>
  )
}

interface PreviewCommandProps {
  readonly settings: Settings
  readonly disabled: boolean
  onSave(changes: Changes): Promise<void>
}

/** What starts the built thing for whoever wants to try it. */
function PreviewCommand({ settings, disabled, onSave }: PreviewCommandProps) {
  const text = useText()
  const [command, setCommand] = useState(settings.preview ?? "")
  return (
    <div className="mt-6 grid gap-2">
      <Unsaved changed={command.trim() !== (settings.preview ?? "")} />
      <Field label={text("preview.command")} hint={text("preview.commandHint")}>
        {(ids) => (
          <Input
            {...ids}
            className="font-mono"
            disabled={disabled}
            placeholder={text("preview.commandExample")}
            maxLength={2000}
            value={command}
            onChange={(event) => setCommand(event.target.value)}
          />
        )}
      </Field>
      <div>
        <Button disabled={disabled} onClick={() => void onSave({ preview: command.trim() || null })}>
          {text("preview.save")}
        </Button>
      </div>
    </div>
  )
}

/** What the repositories that machines allow for this project name by themselves, each command once. */
function useFoundChecks(projectName: string | undefined): Settings["checks"] {
  const runners = useOperation("chorus_list_runners", {}, followRunners).answer?.runners ?? []
  const found = runners
    .flatMap(({ folders }) => folders)
    .filter(({ project }) => project === undefined || project === projectName)
    .flatMap((folder) => folder.found ?? [])
  return [...new Map(found.map((check) => [check.command, check])).values()]
}
