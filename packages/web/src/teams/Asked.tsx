import { useState } from "react"
import { choicesFor, type Item } from "../attention/decide.ts"
import { NoteDialog } from "../attention/NoteDialog.tsx"
import { useDecisions } from "../attention/use-decisions.ts"
import { useNeedsYou } from "../attention/use-needs-you.ts"
import { WaitingCard } from "../attention/WaitingCard.tsx"
import { useText } from "../i18n/language.ts"
import { Section } from "../design/index.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import type { Team } from "./team.ts"

/** Plans and permissions a member waits for; a person decides, here as in the queue. */
export function Asked({ team }: { readonly team: Team }) {
  const text = useText()
  const { person } = useSignedIn()
  const { items } = useNeedsYou()
  const decisions = useDecisions()
  const [refusing, setRefusing] = useState<Item>()
  const mine = items.filter(
    ({ attention }) => attention?.detail["team"] === team.name && attention.detail["machine"] === team.machine,
  )
  if (mine.length === 0) return null
  return (
    <Section title={text("nav.needsYou")} count={mine.length}>
      <ul className="grid grid-cols-1 gap-2">
        {mine.map((item) => (
          <WaitingCard
            key={item.uuid}
            item={item}
            current={false}
            disabled={!mayChange(person)}
            onChoose={() => undefined}
            onOpen={() => undefined}
            selected={undefined}
            onSelect={() => undefined}
            onAccept={() => void decisions.accept({ item })}
            onRefuse={() => (choicesFor(item).note ? setRefusing(item) : void decisions.refuse(item, ""))}
            onAnswer={(words, data) => decisions.answer(item, words, data)}
          />
        ))}
      </ul>
      <NoteDialog item={refusing} onClose={() => setRefusing(undefined)} onSend={decisions.refuse} />
    </Section>
  )
}
