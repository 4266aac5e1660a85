import { useNavigate, useParams } from "@tanstack/react-router"
import type { projects, projectSettings } from "@chorus/contracts"
import { type FormEvent, useState } from "react"
import { ProjectChecksSection } from "../checks/ProjectChecksSection.tsx"
import { Button, Field, Input, Page, Problem, SkeletonRows, Switch, TextArea, toast, Unsaved } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { LabelsSection } from "../items/LabelsSection.tsx"
import { followOne, reloadWhen } from "../live/follow.ts"
import { amending, useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { RunPolicySection } from "../runs/RunPolicySection.tsx"
import { Row, Rows, Section } from "../settings/Section.tsx"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"

type Settings = projectSettings.ProjectSettings

const RULES = [
  "requireReview",
  "requireTaskReview",
  "exclusiveWork",
  "allowSelfApproval",
  "allowSelfVerify",
] as const satisfies readonly (keyof Settings)[]

const followSettings = reloadWhen<Settings>(({ kind }) => kind === "project.settings_changed")
const followProject = followOne<projects.ProjectRow>("project")

export function ProjectSettingsPage() {
  const text = useText()
  const navigate = useNavigate()
  const { person } = useSignedIn()
  const { projectUuid } = useParams({ from: "/projects/$projectUuid/settings" })
  const project = useOperation("chorus_get_project", { projectUuid }, followProject)
  const settings = useOperation("chorus_get_project_settings", { projectUuid }, followSettings)
  const update = useAction("chorus_update_project")
  const updateRules = useAction("chorus_update_project_settings")
  const [changed, setChanged] = useState(false)
  const disabled = !mayChange(person)

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const description = String(form.get("description")).trim()
    const done = await update.run({
      projectUuid,
      name: String(form.get("name")).trim(),
      key: String(form.get("key")).trim().toUpperCase(),
      description: description === "" ? null : description,
    })
    if (done === undefined) return
    setChanged(false)
    toast(text("action.saved"))
  }
  const setRule = (rule: keyof Settings, value: boolean) =>
    void updateRules.run(
      { projectUuid, [rule]: value },
      { amend: [amending("chorus_get_project_settings", { projectUuid }, (now) => ({ ...now, [rule]: value }))] },
    )
  const archive = async () => {
    if ((await update.run({ projectUuid, status: "archived" })) === undefined) return
    toast(text("project.archived"), { undo: () => void update.run({ projectUuid, status: "active" }) })
    await navigate({ to: "/projects", ignoreBlocker: true })
  }
  return (
    <Page title={text("nav.projectSettings")}>
      <div className="max-w-2xl">
        {project.status === "loading" && <SkeletonRows rows={3} />}
        {project.status === "failed" && <Problem error={project.error} onRetry={project.reload} />}
        {project.answer !== undefined && (
          <Section title={text("project.about")}>
            <Unsaved changed={changed} />
            <form
              key={project.answer.uuid}
              onInput={() => setChanged(true)}
              onSubmit={(event) => void submit(event)}
              className="grid gap-4"
            >
              <Field label={text("project.name")}>
                {(ids) => (
                  <Input {...ids} name="name" required disabled={disabled} defaultValue={project.answer?.name} />
                )}
              </Field>
              <Field
                label={text("project.key")}
                hint={text("project.keyHint", { key: project.answer.key })}
                format={text("project.keyFormat")}
              >
                {(ids) => (
                  <Input
                    {...ids}
                    name="key"
                    required
                    pattern="[A-Za-z][A-Za-z0-9]{1,9}"
                    className="max-w-32 uppercase"
                    disabled={disabled}
                    defaultValue={project.answer?.key}
                  />
                )}
              </Field>
              <Field label={text("project.description")}>
                {(ids) => (
                  <TextArea
                    {...ids}
                    name="description"
                    disabled={disabled}
                    defaultValue={project.answer?.description ?? ""}
                  />
                )}
              </Field>
              <div>
                <Button tone="primary" type="submit" disabled={disabled || update.busy}>
                  {text("action.save")}
                </Button>
              </div>
            </form>
          </Section>
        )}
        {settings.answer !== undefined && (
          <Section title={text("project.rules")} lead={text("project.rulesLead")}>
            <Rows>
              {RULES.map((rule) => (
                <Row key={rule}>
                  <div className="flex-1">
                    <Switch
                      label={text(`project.rule.${rule}`)}
                      hint={text(`project.rule.${rule}Hint`)}
                      disabled={disabled}
                      checked={settings.answer?.[rule] === true}
                      onChange={(value) => setRule(rule, value)}
                    />
                  </div>
                </Row>
              ))}
            </Rows>
          </Section>
        )}
        {settings.answer !== undefined && (
          <ProjectChecksSection
            key={JSON.stringify(settings.answer.checks)}
            projectUuid={projectUuid}
            projectName={project.answer?.name}
            settings={settings.answer}
            disabled={disabled}
          />
        )}
        {!disabled && <LabelsSection projectUuid={projectUuid} />}
        <RunPolicySection projectUuid={projectUuid} disabled={disabled} />
        {!disabled && (
          <Section title={text("project.archive")} lead={text("project.archiveLead")}>
            <Button tone="danger" onClick={() => void archive()}>
              {text("project.archive")}
            </Button>
          </Section>
        )}
      </div>
    </Page>
  )
}
