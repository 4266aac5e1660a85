import type { agents, Permission } from "@chorus/contracts"
import { useId, useState } from "react"
import { Checkbox, classes, Field, Input, TextArea } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useProjects } from "../projects/use-projects.ts"
import { FormDialog, wordsIn } from "./FormDialog.tsx"
import { bitsOf, type OfferedPreset, presetOf, PRESETS, split } from "./permission-set.ts"
import { PermissionGrid } from "./PermissionGrid.tsx"

interface AgentDialogProps {
  /** Left out to make a new one. */
  readonly agent?: agents.AgentRow | undefined
  onClose(): void
  onSaved(agent: agents.AgentRow): void
}

export function AgentDialog({ agent, onClose, onSaved }: AgentDialogProps) {
  const text = useText()
  const create = useAction("chorus_create_agent")
  const update = useAction("chorus_update_agent")
  const projects = useProjects().answer?.projects ?? []
  const [bits, setBits] = useState<ReadonlySet<Permission>>(new Set(agent?.permissions ?? bitsOf("developer")))
  const [projectUuids, setProjectUuids] = useState<readonly string[] | null>(agent?.projectUuids ?? null)
  const fitting = presetOf(bits)
  const [fine] = useState(fitting === undefined)

  const submit = async (form: FormData) => {
    const persona = wordsIn(form, "persona")
    const fields = {
      name: wordsIn(form, "name"),
      persona: persona === "" ? null : persona,
      projectUuids: projectUuids === null ? null : [...projectUuids],
      ...split(bits),
    }
    const saved =
      agent === undefined ? await create.run(fields) : await update.run({ agentUuid: agent.uuid, ...fields })
    if (saved !== undefined) onSaved(saved)
  }
  const toggleProject = (uuid: string, on: boolean) =>
    setProjectUuids((now) => (on ? [...(now ?? []), uuid] : (now ?? []).filter((each) => each !== uuid)))

  return (
    <FormDialog
      title={text(agent === undefined ? "settings.agents.new" : "settings.agents.edit")}
      submit={text(agent === undefined ? "action.create" : "action.save")}
      busy={create.busy || update.busy}
      onClose={onClose}
      onSubmit={(form) => void submit(form)}
    >
      <Field label={text("settings.name")}>
        {(ids) => <Input {...ids} name="name" required maxLength={80} autoFocus defaultValue={agent?.name} />}
      </Field>
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium text-muted">{text("settings.agents.preset")}</legend>
        {PRESETS.map((preset) => (
          <PresetChoice
            key={preset}
            preset={preset}
            chosen={fitting === preset}
            onChoose={() => setBits(bitsOf(preset))}
          />
        ))}
        <details open={fine} className="rounded-md border border-line px-3 py-2">
          <summary className="cursor-pointer text-sm text-muted">{text("settings.agents.fine")}</summary>
          <div className="pt-2">
            <PermissionGrid value={bits} onChange={setBits} />
          </div>
        </details>
      </fieldset>
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium text-muted">{text("settings.agents.projects")}</legend>
        <Checkbox
          checked={projectUuids === null}
          onChange={(all) => setProjectUuids(all ? null : [])}
          label={text("settings.agents.allProjects")}
        />
        {projectUuids !== null &&
          projects.map(({ uuid, name }) => (
            <Checkbox
              key={uuid}
              checked={projectUuids.includes(uuid)}
              onChange={(on) => toggleProject(uuid, on)}
              label={name}
            />
          ))}
      </fieldset>
      <Field label={text("settings.agents.persona")} hint={text("settings.agents.personaHint")}>
        {(ids) => <TextArea {...ids} name="persona" rows={3} maxLength={4000} defaultValue={agent?.persona ?? ""} />}
      </Field>
    </FormDialog>
  )
}

function PresetChoice({
  preset,
  chosen,
  onChoose,
}: {
  readonly preset: OfferedPreset
  readonly chosen: boolean
  onChoose(): void
}) {
  const text = useText()
  const id = useId()
  return (
    <label
      className={classes(
        "flex cursor-pointer items-start gap-2.5 rounded-md border px-3 py-2",
        chosen ? "border-accent bg-accent-soft" : "border-line hover:border-line-strong",
      )}
    >
      <input
        type="radio"
        name="preset"
        aria-labelledby={id}
        aria-describedby={`${id}-hint`}
        checked={chosen}
        onChange={onChoose}
        className="mt-1 accent-(--accent)"
      />
      <span>
        <span id={id} className="block text-sm font-medium">
          {text(`settings.agents.preset.${preset}`)}
        </span>
        <span id={`${id}-hint`} className="block text-xs text-muted">
          {text(`settings.agents.preset.${preset}Hint`)}
        </span>
      </span>
    </label>
  )
}
