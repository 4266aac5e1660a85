import type { changes, TaskId } from "@chorus/contracts"
import { Badge, Button, Checkbox, DraftNote, onModEnter, TextArea, When, Who } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { useAction } from "../live/use-action.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"

interface ThreadProps {
  readonly thread: changes.PlacedThread
  /** Its line is none of those on show. */
  readonly apart?: boolean
}

/** What was said about a line, and an answer to it. */
export function Thread({ thread, apart = false }: ThreadProps) {
  const text = useText()
  const { person } = useSignedIn()
  const act = useAction("chorus_comment_on_change")
  const { uuid: threadUuid, taskUuid, state, severity, suggestion, outdated } = thread
  const { value: answer, set: setAnswer, drop } = useDraft(`thread.${threadUuid}`, "")
  const say = async (more: { text?: string; resolved?: boolean }) => {
    const input = { taskUuid: taskUuid as TaskId, comments: [{ threadUuid, ...more }] }
    if ((await act.run(input)) !== undefined && more.text !== undefined) drop()
  }
  const send = () => {
    if (answer.trim() !== "") void say({ text: answer })
  }
  return (
    <article
      tabIndex={-1}
      aria-label={text("changes.thread", { file: thread.file, line: thread.line })}
      className="m-2 max-w-2xl rounded-lg border border-line bg-surface px-3 py-2 font-sans text-sm"
    >
      <header className="flex flex-wrap items-center gap-2">
        {severity === "blocker" && <Badge tone="failed">{text("changes.blocker")}</Badge>}
        {outdated && <Badge tone="waiting">{text("changes.outdated", { version: thread.version })}</Badge>}
        {state === "resolved" && <Badge tone="done">{text("changes.resolved")}</Badge>}
      </header>
      {outdated && <code className="block truncate text-xs text-muted">{thread.lineText}</code>}
      {apart && (
        <code className="block truncate text-xs text-muted">{`${thread.now?.line ?? thread.line}: ${thread.lineText}`}</code>
      )}
      <ol className="grid grid-cols-1 gap-2">
        {thread.comments.map((comment) => (
          <li key={comment.uuid}>
            <p className="flex flex-wrap items-center gap-2 text-xs">
              <Who actor={comment.author} />
              <When at={comment.createdAt} className="text-faint" />
              {comment.version > thread.version && (
                <span className="text-faint">{text("changes.atVersion", { version: comment.version })}</span>
              )}
            </p>
            <Markdown source={comment.text} />
          </li>
        ))}
      </ol>
      {suggestion !== null && (
        <pre aria-label={text("changes.suggestion")} className="mt-1 overflow-x-auto rounded-md bg-done-soft px-2 py-1">
          {suggestion}
        </pre>
      )}
      {mayChange(person) && (
        <div className="mt-2 grid grid-cols-1 gap-2">
          <TextArea
            aria-label={text("changes.answer")}
            placeholder={text("changes.answer")}
            rows={1}
            value={answer}
            onChange={({ target }) => setAnswer(target.value)}
            onKeyDown={onModEnter(send)}
          />
          <span className="flex gap-2">
            <Button size="sm" disabled={act.busy || answer.trim() === ""} onClick={send}>
              {text("changes.reply")}
            </Button>
            <Button size="sm" tone="ghost" disabled={act.busy} onClick={() => void say({ resolved: state === "open" })}>
              {text(state === "open" ? "changes.resolve" : "changes.reopen")}
            </Button>
          </span>
        </div>
      )}
    </article>
  )
}

export interface Place {
  readonly file: string
  readonly line: number
  readonly side: "before" | "after"
  readonly text: string
}

interface Comment {
  readonly words: string
  readonly blocker: boolean
  readonly suggestion: string | null
}

const NOTHING: Comment = { words: "", blocker: false, suggestion: null }

interface NewThreadProps {
  readonly taskUuid: TaskId
  readonly version: number
  readonly place: Place
  onClose(): void
}

/** A comment that begins a thread at a line. What was typed there is kept: lines that are scrolled away are not drawn. */
export function NewThread({ taskUuid, version, place, onClose }: NewThreadProps) {
  const text = useText()
  const act = useAction("chorus_comment_on_change")
  const { file, line, side } = place
  const draft = useDraft(`line.${taskUuid}.${side}.${line}.${file}`, NOTHING)
  const { words, blocker, suggestion } = draft.value
  const write = (changed: Partial<Comment>) => draft.set({ ...draft.value, ...changed })
  const send = async () => {
    if (words.trim() === "") return
    const comment = {
      file,
      line,
      side,
      severity: blocker ? ("blocker" as const) : ("note" as const),
      text: words,
      ...(suggestion === null ? {} : { suggestion }),
    }
    if ((await act.run({ taskUuid, version, comments: [comment] })) === undefined) return
    draft.drop()
    onClose()
  }
  return (
    <form
      aria-label={text("changes.commentOn", { file, line })}
      className="m-2 grid max-w-2xl grid-cols-1 gap-2 rounded-lg border border-accent bg-surface px-3 py-2 font-sans text-sm"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose()
      }}
    >
      <TextArea
        autoFocus
        aria-label={text("changes.comment")}
        placeholder={text("changes.comment")}
        rows={3}
        value={words}
        onChange={({ target }) => write({ words: target.value })}
        onKeyDown={onModEnter(() => void send())}
      />
      <DraftNote draft={draft} />
      {suggestion !== null && (
        <TextArea
          aria-label={text("changes.suggestion")}
          className="font-mono text-xs"
          rows={2}
          value={suggestion}
          onChange={({ target }) => write({ suggestion: target.value })}
        />
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Checkbox checked={blocker} onChange={(on) => write({ blocker: on })} label={text("changes.blocker")} />
        <Checkbox
          checked={suggestion !== null}
          onChange={(on) => write({ suggestion: on ? place.text : null })}
          label={text("changes.suggest")}
        />
        <span className="ml-auto flex gap-2">
          <Button size="sm" tone="ghost" onClick={onClose}>
            {text("action.cancel")}
          </Button>
          <Button size="sm" tone="primary" type="submit" disabled={act.busy || words.trim() === ""}>
            {text("changes.send")}
          </Button>
        </span>
      </div>
    </form>
  )
}
