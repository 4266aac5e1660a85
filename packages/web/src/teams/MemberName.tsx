import { Crown } from "lucide-react"
import { classes } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { hueOfMember, type Member, MEMBER_LABEL } from "./team.ts"

/** A member in the colour the team gave it. */
export function MemberName({
  member,
}: {
  readonly member: Pick<Member, "name" | "color" | "lead" | "state" | "leftAt">
}) {
  const text = useText()
  return (
    <span
      data-hue={hueOfMember(member)}
      title={text(MEMBER_LABEL[member.state])}
      className={classes(
        "inline-flex h-5 max-w-full items-center gap-1 rounded-full px-2 text-xs font-medium",
        hueOfMember(member) === undefined ? "bg-sunken text-muted" : "bg-(--hue-soft) text-(--hue)",
        member.leftAt !== null && "opacity-60",
      )}
    >
      {member.lead && <Crown aria-label={text("teams.lead")} className="size-3 shrink-0" />}
      <span className="truncate">{member.name}</span>
    </span>
  )
}
