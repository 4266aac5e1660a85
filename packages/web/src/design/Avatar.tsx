import { classes } from "./classes.ts"
import { Face } from "./Face.tsx"
import { hueOf, initials } from "./hue.ts"

interface AvatarProps {
  readonly actor: { readonly type: string; readonly uuid: string; readonly name: string }
  readonly size?: "sm" | "md" | "lg"
}

const SIZES = { sm: "size-5 text-[10px]", md: "size-6 text-xs", lg: "size-9 text-sm" }

/** People are round, agents are square with a face and a hue of their own. */
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
        <Face uuid={actor.uuid} className={size === "lg" ? "size-7" : "size-4"} />
      ) : (
        <span aria-hidden>{initials(actor.name)}</span>
      )}
      <span className="sr-only">{actor.name}</span>
    </span>
  )
}
