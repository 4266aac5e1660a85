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
  /** What was typed for each, kept until the server has it. */
  const [unsent, setUnsent] = useState<Readonly<Record<string, string>>>({})
  const wordsFor = (item: Item | undefined) => unsent[item?.uuid ?? ""] ?? ""
  const keep = (item: Item, words: string) => setUnsent((now) => ({ ...now, [item.uuid]: words }))
  const answer = async (item: Item) => {
    if (await decisions.answer(item, wordsFor(item).trim())) keep(item, "")
  }
  const refuse = async (item: Item) => {
    setRefusing(undefined)
    if (await decisions.refuse(item, wordsFor(item).trim())) return keep(item, "")
    if (choicesFor(item).note) setRefusing(item)
  }
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
            onAccept={() => void decisions.accept(item)}
            onRefuse={() => (choicesFor(item).note ? setRefusing(item) : void refuse(item))}
            words={wordsFor(item)}
            onWords={(words) => keep(item, words)}
            onAnswer={() => void answer(item)}
          />
        ))}
      </ul>
      <NoteDialog
        item={refusing}
        note={wordsFor(refusing)}
        onNote={(note) => refusing !== undefined && keep(refusing, note)}
        onClose={() => setRefusing(undefined)}
        onSend={(item) => void refuse(item)}
      />
    </Section>
  )
}
