import type { LinkQuestion } from "@chorus/contracts"
import { useState } from "react"
import { Button } from "../design/Button.tsx"
import { useText } from "../i18n/language.ts"
import { SignInFrame } from "./SignInFrame.tsx"

interface OtherPersonPageProps {
  readonly question: LinkQuestion
  readonly problem: unknown
  onAnswer(accepted: boolean): Promise<void>
}

/** Somebody opened the sign-in link of somebody else: nothing happens before they say which of the two it shall be. */
export function OtherPersonPage({ question, problem, onAnswer }: OtherPersonPageProps) {
  const text = useText()
  const [busy, setBusy] = useState(false)
  const names = { here: question.here.name, holder: question.holder.name }
  const accept = () => {
    setBusy(true)
    void onAnswer(true).finally(() => setBusy(false))
  }
  return (
    <SignInFrame
      title={text("signIn.other", names)}
      lead={text("signIn.other.lead", names)}
      busy={busy}
      problem={problem}
    >
      <Button size="lg" tone="primary" disabled={busy} onClick={accept}>
        {text("signIn.other.accept", { name: names.holder })}
      </Button>
      <Button size="lg" disabled={busy} onClick={() => void onAnswer(false)}>
        {text("signIn.other.decline", { name: names.here })}
      </Button>
    </SignInFrame>
  )
}
