import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import {
  AskDialog,
  DraftNote,
  Field,
  Input,
  onEnter,
  onModEnter,
  Segmented,
  Select,
  TextArea,
  toast,
} from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { useAction } from "../live/use-action.ts"
import { useProjects } from "../projects/use-projects.ts"
import { DependsOnField, type NamedTask } from "../tasks/DependsOnField.tsx"
import { MarkdownField } from "../writing/MarkdownField.tsx"
import { useAttachHeld, withoutLost } from "../writing/use-attaching.ts"

type Kind = "task" | "idea"
const PRIORITIES = ["high", "medium", "low"] as const
type Priority = (typeof PRIORITIES)[number]

const NOTHING = {
  title: "",
  description: "",
  criteria: "",
  proof: "",
  priority: "medium" as Priority,
  hours: "",
  labels: "",
  due: "",
  dependsOn: [] as readonly NamedTask[],
  /** The one that was chosen, or in which something it depends on was; empty where it goes as always. */
  project: "",
}

interface NewTaskProps {
  /** Where it goes unless the person says otherwise. */
  readonly projectUuid: string | undefined
  readonly kind?: Kind
  onClose(): void
}

/** A task written down by a person, or an idea while one is at it; from the board, or from anywhere by `C`. */
export function NewTask({ projectUuid, kind: first = "task", onClose }: NewTaskProps) {
  const text = useText()
  const navigate = useNavigate()
  const projects = useProjects().answer?.projects ?? []
  const createTask = useAction("chorus_create_tasks")
  const createIdea = useAction("chorus_pm_create_idea")
  const editTask = useAction("chorus_update_task")
  const editIdea = useAction("chorus_edit_idea")
  const attachHeld = useAttachHeld()
  const [kind, setKind] = useState<Kind>(first)
  const draft = useDraft("capture", NOTHING)
  // What was kept by an older page has fewer fields.
  const kept = { ...NOTHING, ...draft.value }
  const { title, criteria, proof, priority, hours, labels, due } = kept
  const description = draft.resumed ? withoutLost(draft.value.description) : draft.value.description
  const write = (changed: Partial<typeof NOTHING>) => draft.set({ ...kept, description, ...changed })
  const project = projects.find(({ uuid }) => uuid === kept.project)?.uuid ?? projectUuid ?? projects[0]?.uuid
  const dependsOn = project === kept.project ? kept.dependsOn : []
  const wanted = criteria
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  const command = proof.trim()
  // What is proved is plain where there is one criterion; beside several the command is one more.
  const proves = command === "" ? undefined : wanted.length === 1 ? "one" : "own"
  const filed = labels
    .split(/[,，]/)
    .map((name) => name.trim())
    .filter((name) => name !== "")
  const busy = createTask.busy || createIdea.busy
  const ready = title.trim() !== "" && project !== undefined && !busy

  const save = async () => {
    if (!ready || project === undefined) return
    const place = kind === "idea" ? await saveIdea(project) : await saveTask(project)
    if (place === undefined) return
    draft.drop()
    onClose()
    toast(text(kind === "idea" ? "board.ideaMade" : "board.taskMade", { title: title.trim() }))
    await navigate({ ...place, ignoreBlocker: true })
  }
  const saveTask = async (to: string) => {
    const made = await createTask.run({
      projectUuid: to,
      tasks: [
        {
          title: title.trim(),
          priority,
          ...(description.trim() === "" ? {} : { description }),
          ...(hours === "" ? {} : { storyPoints: Number(hours) }),
          ...(filed.length === 0 ? {} : { labels: filed }),
          ...(due === "" ? {} : { dueOn: due }),
          ...(dependsOn.length === 0 ? {} : { dependsOnTaskUuids: dependsOn.map(({ uuid }) => uuid) }),
          acceptanceCriteriaItems: [
            ...(wanted.length === 0 && command === "" ? [title.trim()] : wanted).map((description) => ({
              description,
              ...(proves === "one" ? { command } : {}),
            })),
            ...(proves === "own" ? [{ description: text("checks.commandPasses", { command }), command }] : []),
          ],
        },
      ],
    })
    const task = made?.tasks[0]?.uuid
    if (task === undefined) return undefined
    const arrived = await attachHeld(description, { targetType: "task", targetUuid: task })
    if (arrived !== description) await editTask.run({ taskUuid: task, description: arrived })
    return { to: "/projects/$projectUuid/board", params: { projectUuid: to }, search: { task } } as const
  }
  const saveIdea = async (to: string) => {
    const made = await createIdea.run({
      projectUuid: to,
      title: title.trim(),
      ...(description.trim() === "" ? {} : { content: description }),
      ...(filed.length === 0 ? {} : { labels: filed }),
    })
    if (made === undefined) return undefined
    const arrived = await attachHeld(description, { targetType: "idea", targetUuid: made.uuid })
    if (arrived !== description) await editIdea.run({ ideaUuid: made.uuid, content: arrived })
    return { to: "/projects/$projectUuid/ideas/$ideaUuid", params: { projectUuid: to, ideaUuid: made.uuid } } as const
  }
  const send = onModEnter(() => void save())
  return (
    <AskDialog
      open
      wide
      kept
      title={text(kind === "idea" ? "ideas.new" : "board.newTask")}
      confirm={text("action.create")}
      disabled={!ready}
      onClose={onClose}
      onConfirm={() => void save()}
    >
      <div className="grid grid-cols-1 gap-4">
        <DraftNote draft={draft} />
        <div className="flex flex-wrap items-center gap-3">
          <Segmented
            label={text("board.newKind")}
            value={kind}
            onChange={setKind}
            options={[
              { value: "task", label: text("board.kindTask") },
              { value: "idea", label: text("board.kindIdea") },
            ]}
          />
          <Select
            compact
            className="w-56"
            aria-label={text("board.newProject")}
            value={project ?? ""}
            onChange={(event) => write({ project: event.target.value, dependsOn: [] })}
          >
            {projects.map(({ uuid, name }) => (
              <option key={uuid} value={uuid}>
                {name}
              </option>
            ))}
          </Select>
        </div>
        <Field label={text("tasks.title")}>
          {(ids) => (
            <Input
              {...ids}
              autoFocus
              required
              maxLength={256}
              value={title}
              placeholder={text(kind === "idea" ? "ideas.titleExample" : "board.titleExample")}
              onChange={(event) => write({ title: event.target.value })}
              onKeyDown={onEnter(() => void save())}
            />
          )}
        </Field>
        <Field label={text(kind === "idea" ? "ideas.content" : "tasks.description")} hint={text("tasks.markdownHint")}>
          {(ids) => (
            <MarkdownField
              {...ids}
              rows={4}
              value={description}
              attachTo="later"
              onChange={(words) => write({ description: words })}
              onKeyDown={send}
            />
          )}
        </Field>
        {kind === "task" && (
          <>
            <Field label={text("board.newCriteria")} hint={text("board.newCriteriaHint")}>
              {(ids) => (
                <TextArea
                  {...ids}
                  rows={3}
                  value={criteria}
                  placeholder={text("board.criteriaExample")}
                  onChange={(event) => write({ criteria: event.target.value })}
                  onKeyDown={send}
                />
              )}
            </Field>
            <Field
              label={text("checks.newProof")}
              hint={text(proves === undefined ? "checks.newProofHint" : `checks.proves.${proves}`, { command })}
            >
              {(ids) => (
                <Input
                  {...ids}
                  className="font-mono"
                  maxLength={1900}
                  value={proof}
                  placeholder={text("checks.commandExample")}
                  onChange={(event) => write({ proof: event.target.value })}
                  onKeyDown={onEnter(() => void save())}
                />
              )}
            </Field>
            {project !== undefined && (
              <DependsOnField
                projectUuid={project}
                chosen={dependsOn}
                onChange={(tasks) => write({ project, dependsOn: tasks })}
              />
            )}
            <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
              <Field label={text("board.priority")}>
                {(ids) => (
                  <Select
                    {...ids}
                    value={priority}
                    onChange={(event) => write({ priority: event.target.value as Priority })}
                  >
                    {PRIORITIES.map((each) => (
                      <option key={each} value={each}>
                        {text(`board.priority.${each}`)}
                      </option>
                    ))}
                  </Select>
                )}
              </Field>
              <Field label={text("board.newHours")}>
                {(ids) => (
                  <Input
                    {...ids}
                    type="number"
                    min={0}
                    max={10_000}
                    step={0.5}
                    value={hours}
                    onChange={(event) => write({ hours: event.target.value })}
                  />
                )}
              </Field>
              <Field label={text("items.due")}>
                {(ids) => (
                  <Input {...ids} type="date" value={due} onChange={(event) => write({ due: event.target.value })} />
                )}
              </Field>
            </div>
          </>
        )}
        <Field label={text("items.newLabels")}>
          {(ids) => (
            <Input
              {...ids}
              value={labels}
              placeholder={text("items.labelsExample")}
              onChange={(event) => write({ labels: event.target.value })}
              onKeyDown={onEnter(() => void save())}
            />
          )}
        </Field>
      </div>
    </AskDialog>
  )
}
