import type { ideas } from "@chorus/contracts"
import { CheckCheck, SkipForward } from "lucide-react"
import { useMemo, useState } from "react"
import { Button, Nothing, ReasonDialog, Section, SkeletonRows } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { followElaboration } from "./follow-idea.ts"
import { Questions } from "./Questions.tsx"

/** What agents asked about an idea and what people answered, newest round first. */
export function Elaboration({ idea }: { readonly idea: ideas.IdeaDetail }) {
  const text = useText()
  const { person } = useSignedIn()
  const follow = useMemo(() => followElaboration(idea.uuid), [idea.uuid])
  const { answer } = useOperation("chorus_get_elaboration", { ideaUuid: idea.uuid }, follow)
  const validate = useAction("chorus_pm_validate_elaboration")
  const skip = useAction("chorus_pm_skip_elaboration")
  const [skipping, setSkipping] = useState(false)
  if (answer === undefined) return <SkeletonRows rows={2} />
  const may = mayChange(person)
  const settled = answer.status === "resolved"
  const answered = answer.status === "validating"
  const again = answered && answer.rounds.some(({ askAgain, validatedAt }) => askAgain && validatedAt === null)
  const actions = may && !settled && (
    <>
      {idea.status !== "elaborated" && (
        <Button size="sm" tone="ghost" icon={SkipForward} onClick={() => setSkipping(true)}>
          {text("ideas.skip")}
        </Button>
      )}
      {answered && (
        <Button
          size="sm"
          tone="primary"
          icon={CheckCheck}
          disabled={validate.busy}
          onClick={() => void validate.run({ ideaUuid: idea.uuid })}
        >
          {text("ideas.accept")}
        </Button>
      )}
    </>
  )
  return (
    <Section
      title={text("ideas.questions")}
      count={answer.rounds.flatMap(({ questions }) => questions).length}
      actions={actions}
    >
      {answer.rounds.length === 0 && (
        <Nothing>
          {answer.reason !== null ? text("ideas.skipped", { reason: answer.reason }) : text("ideas.noQuestions")}
        </Nothing>
      )}
      {answered && (
        <p className="mb-3 rounded-lg bg-waiting-soft px-3 py-2 text-sm text-waiting">
          {text(again ? "ideas.asksAgain" : "ideas.readyToAccept")}
        </p>
      )}
      <div className="grid grid-cols-1 gap-4">
        {answer.rounds.toReversed().map((round) => (
          <Questions key={round.uuid} round={round} open={may} />
        ))}
      </div>
      <ReasonDialog
        open={skipping}
        draft={`skip.${idea.uuid}`}
        required
        title={text("ideas.skipTitle")}
        lead={text("ideas.skipLead")}
        confirm={text("ideas.skip")}
        onClose={() => setSkipping(false)}
        onConfirm={(reason) => skip.run({ ideaUuid: idea.uuid, reason })}
      />
    </Section>
  )
}
