import type { ideas } from "@chorus/contracts"
import { Button, DraftNote, Field, Input, Nothing, onModEnter, StopWriting } from "../design/index.ts"
import { StaleNote } from "../documents/StaleNote.tsx"
import { useWriting } from "../documents/use-writing.ts"
import { useText } from "../i18n/language.ts"
import { amending, useAction } from "../live/use-action.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { MarkdownField } from "../writing/MarkdownField.tsx"

interface IdeaContentProps {
  readonly idea: ideas.IdeaDetail
  readonly editing: boolean
  onDone(): void
}

/** The idea in its author's words; edited in place. */
export function IdeaContent({ idea, editing, onDone }: IdeaContentProps) {
  const text = useText()
  if (editing) return <Edit idea={idea} onDone={onDone} />
  return idea.content === null || idea.content === "" ? (
    <Nothing>{text("ideas.noContent")}</Nothing>
  ) : (
    <Markdown source={idea.content} />
  )
}

interface Words {
  title: string
  content: string
}

function Edit({ idea, onDone }: Omit<IdeaContentProps, "editing">) {
  const text = useText()
  const edit = useAction("chorus_edit_idea")
  const subject = { title: idea.title, content: idea.content ?? "", version: idea.version }
  const { fields, clashes, busy, changed, draft, set, keep, stop } = useWriting<Words>(
    idea.uuid,
    subject,
    ["title", "content"],
    ({ title: name, content: words }, expectedVersion) => {
      const written = {
        ...(name === undefined ? {} : { title: name.trim() }),
        ...(words === undefined ? {} : { content: words === "" ? null : words }),
      }
      // Whoever goes on at once writes on what they saved, not on what the log has yet to replace.
      const saved = (now: ideas.IdeaDetail) => ({ ...now, ...written, version: expectedVersion + 1 })
      const amend = [amending("chorus_get_idea", { ideaUuid: idea.uuid }, saved)]
      return edit.run({ ideaUuid: idea.uuid, ...written, expectedVersion }, { tell: false, amend })
    },
    onDone,
  )
  const { title, content } = fields
  const stale = clashes.length > 0
  const save = async () => {
    if (title.trim() !== "") await keep()
  }
  return (
    <div className="grid grid-cols-1 gap-4">
      {stale && (
        <StaleNote
          version={idea.version}
          of={{ targetType: "idea", targetUuid: idea.uuid }}
          theirs={clashes.map((name) => ({
            name: text(name === "title" ? "tasks.title" : "ideas.content"),
            words: subject[name],
          }))}
        />
      )}
      <DraftNote draft={draft} />
      <Field label={text("tasks.title")}>
        {(ids) => (
          <Input {...ids} value={title} maxLength={256} onChange={(event) => set("title", event.target.value)} />
        )}
      </Field>
      <Field label={text("ideas.content")} hint={text("tasks.markdownHint")}>
        {(ids) => (
          <MarkdownField
            {...ids}
            autoFocus
            rows={12}
            value={content}
            attachTo={{ targetType: "idea", targetUuid: idea.uuid }}
            onChange={(words) => set("content", words)}
            onKeyDown={onModEnter(() => void save())}
          />
        )}
      </Field>
      <div className="flex gap-2">
        <Button tone="primary" disabled={busy || title.trim() === ""} onClick={() => void save()}>
          {text(stale ? "documents.overwrite" : "action.save")}
        </Button>
        <StopWriting changed={changed} onStop={stop} />
      </div>
    </div>
  )
}
