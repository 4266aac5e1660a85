import { Bot } from "lucide-react"
import { classes } from "./classes.ts"
import { hueOf, initials } from "./hue.ts"

interface AvatarProps {
  readonly actor: { readonly type: string; readonly uuid: string; readonly name: string }
  readonly size?: "sm" | "md" | "lg"
}

const SIZES = { sm: "size-5 text-[10px]", md: "size-6 text-xs", lg: "size-9 text-sm" }

/** People are round, agents are square; both carry their own hue. */
export function Avatar({ actor, size = "md" }: AvatarProps) {
  const agent = actor.type === "agent"
  return (
    <span
      title={actor.name}
      data-hue={agent ? hueOf(actor.uuid) : undefined}
      className={classes(
        "inline-grid shrink-0 place-items-center font-semibold select-none",
        SIZES[size],
        agent ? "rounded-md bg-(--hue-soft) text-(--hue)" : "rounded-full bg-sunken text-muted",
      )}
    >
      {agent ? (
        <Bot aria-hidden className={size === "lg" ? "size-5" : "size-3.5"} />
      ) : (
        <span aria-hidden>{initials(actor.name)}</span>
      )}
      <span className="sr-only">{actor.name}</span>
    </span>
  )
}
