import { History, Pencil, Reply, Trash2 } from "lucide-react"
import { useMemo, useState } from "react"
import { Asking } from "../attention/Asking.tsx"
import { useDecisions } from "../attention/use-decisions.ts"
import { useNeedsYou } from "../attention/use-needs-you.ts"
import { Avatar, Badge, Button, IconButton, Problem, SkeletonRows } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { Composer } from "./Composer.tsx"
import { asks, type Comment, followComments, type Target, type Thread, threadsOf } from "./threads.ts"
import { PAGE_SIZE, useEarlier } from "./use-earlier.ts"

const NONE: readonly Comment[] = []

interface CommentsProps {
  readonly targetType: Target
  readonly targetUuid: string
  /** Comments that are reports on the work. */
  readonly reports?: ReadonlySet<string>
}

/** The conversation about something: threads, answers, mentions; live. */
export function Comments({ targetType, targetUuid, reports }: CommentsProps) {
  const text = useText()
  const { person } = useSignedIn()
  const follow = useMemo(() => followComments(targetUuid), [targetUuid])
  const { answer, status, error, reload } = useOperation(
    "chorus_get_comments",
    { targetType, targetUuid, pageSize: PAGE_SIZE },
    follow,
  )
  const add = useAction("chorus_add_comment")
  const newest = answer?.comments ?? NONE
  const earlier = useEarlier(targetType, targetUuid, newest)
  const hidden = (answer?.total ?? 0) - newest.length - earlier.comments.length
  const threads = threadsOf([...newest, ...earlier.comments])
  const { items } = useNeedsYou()
  const questions = items.filter(
    ({ attention }) => attention?.taskUuid === targetUuid && attention.kind === "input" && attention.answerable,
  )
  const reply = useDecisions().answer
  const say = async (content: string, parentUuid?: string) =>
    (await add.run({ targetType, targetUuid, content, ...(parentUuid === undefined ? {} : { parentUuid }) })) !==
    undefined
  if (status === "loading") return <SkeletonRows rows={2} />
  if (status === "failed") return <Problem error={error} onRetry={reload} />
  return (
    <div className="grid grid-cols-1 gap-4">
      {hidden > 0 && (
        <span>
          <Button size="sm" icon={History} disabled={earlier.busy} onClick={() => void earlier.more()}>
            {text("comments.earlier", { count: hidden })}
          </Button>
        </span>
      )}
      {threads.length === 0 && <p className="text-sm text-faint">{text("comments.empty")}</p>}
      <ol className="grid grid-cols-1 gap-4" aria-label={text("comments.title")}>
        {threads.map((thread) => (
          <ThreadItem
            key={thread.first.uuid}
            thread={thread}
            report={reports?.has(thread.first.uuid) === true}
            question={questions.find(({ attention }) => asks(thread.first, attention))?.from?.name}
            onAnswer={
              mayChange(person)
                ? (content) => {
                    const question = questions.find(({ attention }) => asks(thread.first, attention))
                    return question === undefined ? say(content, thread.first.uuid) : reply(question, content)
                  }
                : undefined
            }
          />
        ))}
      </ol>
      <Asking about={({ taskUuid }) => taskUuid === targetUuid} />
      {mayChange(person) && (
        <Composer
          draft={`comment.${targetUuid}`}
          attachTo={{ targetType, targetUuid }}
          placeholder={text("comments.placeholder")}
          send={text("comments.send")}
          onSend={(content) => say(content)}
        />
      )}
    </div>
  )
}

interface ThreadItemProps {
  readonly thread: Thread
  readonly report: boolean
  /** Who waits for an answer to it. */
  readonly question: string | undefined
  readonly onAnswer: ((content: string) => Promise<boolean>) | undefined
}

function ThreadItem({ thread: { first, answers }, report, question, onAnswer }: ThreadItemProps) {
  const text = useText()
  const [answering, setAnswering] = useState(false)
  const answer = async (content: string) => {
    const arrived = (await onAnswer?.(content)) ?? false
    if (arrived) setAnswering(false)
    return arrived
  }
  return (
    <li>
      <CommentItem
        comment={first}
        report={report}
        onAnswer={onAnswer === undefined ? undefined : () => setAnswering(true)}
      />
      {(answers.length > 0 || answering) && (
        <div className="mt-3 ml-3 grid gap-3 border-l border-line pl-4">
          {answers.map((comment) => (
            <CommentItem
              key={comment.uuid}
              comment={comment}
              onAnswer={onAnswer === undefined ? undefined : () => setAnswering(true)}
            />
          ))}
          {answering && (
            <Composer
              autoFocus
              draft={`answer.${first.uuid}`}
              attachTo={{ targetType: first.targetType, targetUuid: first.targetUuid }}
              placeholder={
                question === undefined
                  ? text("comments.answerPlaceholder")
                  : text("comments.answerQuestion", { name: question })
              }
              send={text("comments.answer")}
              onSend={answer}
              onCancel={() => setAnswering(false)}
            />
          )}
        </div>
      )}
    </li>
  )
}

function CommentItem({
  comment,
  report = false,
  onAnswer,
}: {
  readonly comment: Comment
  readonly report?: boolean
  readonly onAnswer: (() => void) | undefined
}) {
  const text = useText()
  const format = useFormat()
  const { person } = useSignedIn()
  const [editing, setEditing] = useState(false)
  const edit = useAction("chorus_edit_comment")
  const remove = useAction("chorus_delete_comment")
  const mine = comment.authorUuid === person.uuid
  if (comment.deletedAt !== null) return <p className="text-sm text-faint italic">{text("comments.deleted")}</p>
  const author = comment.author ?? {
    type: comment.authorType,
    uuid: comment.authorUuid,
    name: text("comments.somebody"),
  }
  const save = async (content: string) => {
    const saved = (await edit.run({ commentUuid: comment.uuid, content })) !== undefined
    if (saved) setEditing(false)
    return saved
  }
  return (
    <article className="group" aria-label={text("comments.by", { name: author.name })}>
      <header className="flex min-h-7 items-center gap-2 text-sm">
        <Avatar actor={author} size="sm" />
        <span className="truncate font-medium">{author.name}</span>
        {report && <Badge>{text("comments.report")}</Badge>}
        <time
          dateTime={comment.createdAt}
          title={format.dateTime(comment.createdAt)}
          className="shrink-0 text-xs text-faint"
        >
          {format.ago(comment.createdAt)}
        </time>
        {comment.editedAt !== null && <span className="text-xs text-faint">{text("comments.edited")}</span>}
        <span className="ml-auto flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:none)]:opacity-100">
          {onAnswer !== undefined && (
            <IconButton icon={Reply} size="sm" label={text("comments.answer")} onClick={onAnswer} />
          )}
          {mine && <IconButton icon={Pencil} size="sm" label={text("action.edit")} onClick={() => setEditing(true)} />}
          {mine && (
            <IconButton
              icon={Trash2}
              size="sm"
              label={text("action.delete")}
              onClick={() => void remove.run({ commentUuid: comment.uuid })}
            />
          )}
        </span>
      </header>
      <div className="pl-7">
        {editing ? (
          <Composer
            autoFocus
            draft={`edit.${comment.uuid}`}
            attachTo={{ targetType: comment.targetType, targetUuid: comment.targetUuid }}
            initial={comment.content}
            placeholder={text("comments.placeholder")}
            send={text("action.save")}
            onSend={save}
            onCancel={() => setEditing(false)}
          />
        ) : (
          <Markdown source={comment.content} className="text-sm [&_p]:whitespace-pre-line" />
        )}
      </div>
    </article>
  )
}
