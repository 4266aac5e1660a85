import { Dialog, Kbd } from "../design/index.ts"
import { type TextKey, useText } from "../i18n/language.ts"
import { GO_PLACES, GO_TO } from "../keys/shortcuts.ts"

interface Group {
  readonly label: TextKey
  readonly keys: readonly { readonly keys: string; readonly label: TextKey }[]
}

const GROUPS: readonly Group[] = [
  {
    label: "shortcuts.everywhere",
    keys: [
      { keys: "⌘ K", label: "shortcuts.palette" },
      { keys: "C", label: "board.newTask" },
      { keys: "?", label: "shortcuts.help" },
      { keys: "⌘ ↵", label: "shortcuts.send" },
    ],
  },
  {
    label: "shortcuts.needsYou",
    keys: [
      { keys: "J K", label: "shortcuts.move" },
      { keys: "↵", label: "shortcuts.open" },
      { keys: "A", label: "shortcuts.approve" },
      { keys: "R", label: "shortcuts.reject" },
      { keys: "X", label: "shortcuts.select" },
      { keys: "S", label: "shortcuts.snooze" },
    ],
  },
  {
    label: "shortcuts.board",
    keys: [
      { keys: "← ↑ ↓ →", label: "shortcuts.walk" },
      { keys: "Space", label: "shortcuts.lift" },
      { keys: "Esc", label: "shortcuts.putBack" },
    ],
  },
  {
    label: "shortcuts.go",
    keys: Object.entries(GO_TO).map(([key, place]) => ({
      keys: `G ${key.toUpperCase()}`,
      label: GO_PLACES[place].label,
    })),
  },
]

export function Shortcuts({ onClose }: { onClose(): void }) {
  const text = useText()
  return (
    <Dialog open onOpenChange={onClose} title={text("menu.shortcuts")} wide>
      {/* Nothing else here takes the focus, and where it is longer than the window, the keys have to scroll it. */}
      <div role="group" tabIndex={0} aria-label={text("menu.shortcuts")} className="gap-x-10 sm:columns-2">
        {GROUPS.map((group) => (
          <section key={group.label} className="mb-6 break-inside-avoid last:mb-0">
            <h3 className="mb-2 text-xs font-medium text-faint">{text(group.label)}</h3>
            <dl className="grid gap-1.5">
              {group.keys.map(({ keys, label }) => (
                <div key={keys} className="flex items-center justify-between gap-4 text-sm">
                  <dt>{text(label)}</dt>
                  <dd>
                    <Kbd keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
