import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { AskDialog, DraftNote, Field, Input, onEnter, onModEnter, Select, Switch } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { useAction } from "../live/use-action.ts"
import { MarkdownField } from "../writing/MarkdownField.tsx"
import { useAttachHeld, withoutLost } from "../writing/use-attaching.ts"

interface NewIdeaProps {
  readonly projectUuid: string
  /** Where it can be put. */
  readonly themes: readonly { readonly uuid: string; readonly title: string }[]
  readonly parentUuid?: string | undefined
  onClose(): void
}

export function NewIdea({ projectUuid, themes, parentUuid, onClose }: NewIdeaProps) {
  const text = useText()
  const navigate = useNavigate()
  const create = useAction("chorus_pm_create_idea")
  const draft = useDraft(`idea.${projectUuid}`, { title: "", content: "" })
  const { title } = draft.value
  const content = draft.resumed ? withoutLost(draft.value.content) : draft.value.content
  const [parent, setParent] = useState(parentUuid ?? "")
  const [isContainer, setContainer] = useState(false)
  const attachHeld = useAttachHeld()
  const edit = useAction("chorus_edit_idea")
  const save = async () => {
    if (title.trim() === "" || create.busy) return
    const idea = await create.run({
      projectUuid,
      title: title.trim(),
      ...(content.trim() === "" ? {} : { content }),
      ...(parent === "" ? {} : { parentUuid: parent }),
      isContainer,
    })
    if (idea === undefined) return
    const arrived = await attachHeld(content, { targetType: "idea", targetUuid: idea.uuid })
    if (arrived !== content) await edit.run({ ideaUuid: idea.uuid, content: arrived })
    draft.drop()
    onClose()
    if (!isContainer)
      await navigate({
        to: "/projects/$projectUuid/ideas/$ideaUuid",
        params: { projectUuid, ideaUuid: idea.uuid },
        ignoreBlocker: true,
      })
  }
  return (
    <AskDialog
      open
      wide
      kept
      title={text("ideas.new")}
      description={text("ideas.newLead")}
      confirm={text("action.create")}
      disabled={title.trim() === "" || create.busy}
      onClose={onClose}
      onConfirm={() => void save()}
    >
      <div className="grid grid-cols-1 gap-4">
        <DraftNote draft={draft} />
        <Field label={text("tasks.title")}>
          {(ids) => (
            <Input
              {...ids}
              autoFocus
              maxLength={256}
              value={title}
              placeholder={text("ideas.titleExample")}
              onChange={(event) => draft.set({ title: event.target.value, content })}
              onKeyDown={onEnter(() => void save())}
            />
          )}
        </Field>
        <Field label={text("ideas.content")} hint={text("tasks.markdownHint")}>
          {(ids) => (
            <MarkdownField
              {...ids}
              rows={6}
              value={content}
              attachTo="later"
              onChange={(words) => draft.set({ title, content: words })}
              onKeyDown={onModEnter(() => void save())}
            />
          )}
        </Field>
        {themes.length > 0 && (
          <Field label={text("ideas.parent")}>
            {(ids) => (
              <Select {...ids} value={parent} onChange={(event) => setParent(event.target.value)}>
                <option value="">{text("ideas.noParent")}</option>
                {themes.map(({ uuid, title: name }) => (
                  <option key={uuid} value={uuid}>
                    {name}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
        <Switch
          checked={isContainer}
          onChange={setContainer}
          label={text("ideas.theme")}
          hint={text("ideas.themeHint")}
        />
      </div>
    </AskDialog>
  )
}
