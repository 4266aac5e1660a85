import { useNavigate } from "@tanstack/react-router"
import { List, Network, SquareKanban } from "lucide-react"
import { Segmented } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { type Layout, LAYOUT_PATH } from "./layouts.ts"

interface LayoutSwitchProps {
  readonly projectUuid: string
  readonly layout: Layout
}

/** The same tasks as a board, a list or a graph; what narrows one narrows the next. */
export function LayoutSwitch({ projectUuid, layout }: LayoutSwitchProps) {
  const text = useText()
  const navigate = useNavigate()
  return (
    <Segmented
      label={text("items.layout")}
      value={layout}
      onChange={(next) =>
        void navigate({ to: LAYOUT_PATH[next], params: { projectUuid }, search: (now: object) => now as never })
      }
      options={[
        { value: "board", label: text("nav.board"), icon: SquareKanban },
        { value: "list", label: text("items.list"), icon: List },
        { value: "graph", label: text("nav.graph"), icon: Network },
      ]}
    />
  )
}
