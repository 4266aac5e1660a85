import type { ideas } from "@chorus/contracts"
import { Button, DraftNote, Field, Input, Nothing, onModEnter, StopWriting, TextArea } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { useAction } from "../live/use-action.ts"
import { Markdown } from "../markdown/Markdown.tsx"

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

function Edit({ idea, onDone }: Omit<IdeaContentProps, "editing">) {
  const text = useText()
  const edit = useAction("chorus_edit_idea")
  const draft = useDraft(`edit.${idea.uuid}`, { title: idea.title, content: idea.content ?? "" })
  const { title, content } = draft.value
  const stop = () => {
    draft.drop()
    onDone()
  }
  const save = async () => {
    if (title.trim() === "" || edit.busy) return
    const done = await edit.run({ ideaUuid: idea.uuid, title: title.trim(), content: content === "" ? null : content })
    if (done === undefined) return
    stop()
  }
  return (
    <div className="grid grid-cols-1 gap-4">
      <DraftNote draft={draft} />
      <Field label={text("tasks.title")}>
        {(ids) => (
          <Input
            {...ids}
            value={title}
            maxLength={256}
            onChange={(event) => draft.set({ title: event.target.value, content })}
          />
        )}
      </Field>
      <Field label={text("ideas.content")} hint={text("tasks.markdownHint")}>
        {(ids) => (
          <TextArea
            {...ids}
            autoFocus
            rows={12}
            value={content}
            onChange={(event) => draft.set({ title, content: event.target.value })}
            onKeyDown={onModEnter(() => void save())}
          />
        )}
      </Field>
      <div className="flex gap-2">
        <Button tone="primary" disabled={edit.busy || title.trim() === ""} onClick={() => void save()}>
          {text("action.save")}
        </Button>
        <StopWriting changed={title !== idea.title || content !== (idea.content ?? "")} onStop={stop} />
      </div>
    </div>
  )
}
