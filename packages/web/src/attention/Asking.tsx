import type { attentions } from "@chorus/contracts"
import { useState } from "react"
import { Section } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { choicesFor, type Item } from "./decide.ts"
import { NoteDialog } from "./NoteDialog.tsx"
import { useDecisions } from "./use-decisions.ts"
import { useNeedsYou } from "./use-needs-you.ts"
import { WaitingCard } from "./WaitingCard.tsx"

/** What agents ask where it comes up: at their run, their team, their task. A person decides here as in the queue. */
export function Asking({ about }: { about(attention: attentions.AttentionRow): boolean }) {
  const text = useText()
  const { person } = useSignedIn()
  const { items } = useNeedsYou()
  const decisions = useDecisions()
  const [refusing, setRefusing] = useState<Item>()
  const mine = items.filter(({ attention }) => attention !== null && about(attention))
  if (mine.length === 0) return null
  return (
    <Section title={text("nav.needsYou")} count={mine.length}>
      <ul className="grid grid-cols-1 gap-2">
        {mine.map((item) => (
          <WaitingCard
            key={item.uuid}
            id={`asked-${item.uuid}`}
            item={item}
            disabled={!mayChange(person)}
            onAccept={(reach) => void decisions.accept({ item, reach })}
            onRefuse={() => (choicesFor(item).note ? setRefusing(item) : void decisions.refuse(item, ""))}
            onAnswer={(words, data) => decisions.answer(item, words, data)}
          />
        ))}
      </ul>
      <NoteDialog item={refusing} onClose={() => setRefusing(undefined)} onSend={decisions.refuse} />
    </Section>
  )
}
