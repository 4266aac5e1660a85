import type { attentions, OutputOf, ProjectId } from "@chorus/contracts"
import { useState } from "react"
import { AgentQuestions } from "../attention/AgentQuestions.tsx"
import { questionsOf } from "../attention/agent-questions.ts"
import { Asked, Countdown } from "../attention/WaitingCard.tsx"
import { Button, ReasonDialog, TextArea } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useDraft } from "../live/draft.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { type Reach, Remember } from "./Remember.tsx"
import type { Run } from "./run.ts"

const followAsks = reloadWhen<OutputOf<typeof attentions.listAttentions>>(
  ({ entityType }) => entityType === "attention",
)

/** What the run's agent asks its people now. */
export function useAsks({ uuid, projectUuid }: Run): readonly attentions.AttentionRow[] {
  const asked = { projectUuid: projectUuid as ProjectId, pageSize: 100 }
  const { answer } = useOperation("chorus_list_attentions", asked, followAsks)
  return (answer?.attentions ?? []).filter(({ detail }) => detail["runUuid"] === uuid)
}

/** A question of the agent's where it was asked, with what can be said to it. */
export function AskCard({ ask }: { readonly ask: attentions.AttentionRow }) {
  const text = useText()
  const { person } = useSignedIn()
  const { run: answer, busy } = useAction("chorus_answer_attention")
  const [remember, setRemember] = useState<Reach>("")
  const [denying, setDenying] = useState(false)
  // The same words as under Needs you; here they would go with the entry when the transcript is scrolled.
  const { value: words, set: setWords, drop } = useDraft(`answer.${ask.uuid}`, "")
  const say = async (given: attentions.AttentionAnswer) => {
    const done = await answer({ attentionUuid: ask.uuid, answer: given })
    if (done !== undefined) drop()
    return done
  }
  const disabled = busy || !mayChange(person)
  return (
    <div
      role="group"
      aria-label={ask.title}
      className="grid gap-2 rounded-lg border border-waiting bg-waiting-soft px-3 py-2"
    >
      <p className="text-sm font-medium wrap-anywhere">
        {ask.title}
        {ask.expiresAt !== null && <Countdown to={ask.expiresAt} />}
      </p>
      <Asked attention={ask} />
      {ask.kind === "permission" ? (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            size="sm"
            tone="primary"
            disabled={disabled}
            onClick={() => void say({ decision: "approve", ...(remember === "" ? {} : { data: { remember } }) })}
          >
            {text("needsYou.allow")}
          </Button>
          <Button size="sm" disabled={disabled} onClick={() => setDenying(true)}>
            {text("needsYou.deny")}
          </Button>
          <Remember value={remember} onChange={setRemember} />
          <ReasonDialog
            open={denying}
            draft={`refuse.${ask.uuid}`}
            title={text("needsYou.noteDenyTitle")}
            lead={text("needsYou.noteLead")}
            confirm={text("needsYou.deny")}
            onClose={() => setDenying(false)}
            onConfirm={(note) => say({ decision: "deny", ...(note === "" ? {} : { text: note }) })}
          />
        </div>
      ) : questionsOf(ask.detail).length > 0 ? (
        <AgentQuestions
          attention={ask}
          open={!disabled}
          onAnswer={async (words, data) => (await say({ text: words, data })) !== undefined}
        />
      ) : (
        <div className="grid gap-2">
          <div className="flex flex-wrap gap-2">
            {ask.options.map((option) => (
              <Button key={option} size="sm" disabled={disabled} onClick={() => void say({ text: option })}>
                {option}
              </Button>
            ))}
          </div>
          <TextArea
            rows={2}
            aria-label={text("needsYou.answer")}
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          <div>
            <Button
              size="sm"
              tone="primary"
              disabled={disabled || words.trim() === ""}
              onClick={() => void say({ text: words })}
            >
              {text("needsYou.send")}
            </Button>
          </div>
        </div>
      )}
    </div>
  )
}
