import type { OutputOf, people, Role, workspace } from "@chorus/contracts"
import { Ellipsis, UserPlus } from "lucide-react"
import { useState } from "react"
import { Avatar, Badge, Button, IconButton, Menu, MenuItem, Select } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { followRows } from "../live/follow.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { isSteward } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { InviteDialog } from "./InviteDialog.tsx"
import { linkForOthers } from "./link-for-others.ts"
import { Pending, Row, Rows, Section } from "./Section.tsx"
import { SecretDialog } from "./SecretDialog.tsx"

type Answer = OutputOf<typeof workspace.listMembers>

export const ROLES: readonly Role[] = ["owner", "admin", "member", "viewer"]

export const followMembers = followRows<Answer>({ entity: "member", rows: "members", append: true })

interface Link {
  readonly signInPath: string
  readonly expiresAt: string
}

export function MembersSection() {
  const text = useText()
  const { person } = useSignedIn()
  const loaded = useOperation("chorus_list_members", { pageSize: 100 }, followMembers)
  const { answer } = loaded
  const [inviting, setInviting] = useState(false)
  const [link, setLink] = useState<Link>()
  const steward = isSteward(person)
  if (answer === undefined) return <Pending of={loaded} />
  return (
    <Section
      title={text("settings.members")}
      lead={steward ? undefined : text("settings.stewardOnly")}
      action={
        steward && (
          <Button tone="primary" icon={UserPlus} onClick={() => setInviting(true)}>
            {text("settings.members.invite")}
          </Button>
        )
      }
    >
      <Rows>
        {answer.members.map((member) => (
          <MemberLine
            key={member.uuid}
            member={member}
            you={member.uuid === person.uuid}
            steward={steward}
            onLink={setLink}
          />
        ))}
      </Rows>
      {inviting && (
        <InviteDialog
          onClose={() => setInviting(false)}
          onInvited={(made) => {
            setInviting(false)
            setLink(made)
          }}
        />
      )}
      {link !== undefined && <OneTimeLink link={link} onClose={() => setLink(undefined)} />}
    </Section>
  )
}

function OneTimeLink({ link, onClose }: { readonly link: Link; onClose(): void }) {
  const text = useText()
  const format = useFormat()
  const { href, onlyAt } = linkForOthers(link.signInPath)
  return (
    <SecretDialog
      title={text("settings.members.link")}
      lead={text("settings.members.linkLead", { when: format.dateTime(link.expiresAt) })}
      label={text("settings.members.link")}
      value={href}
      hint={onlyAt === undefined ? undefined : text("settings.members.linkOnlyHere", { host: onlyAt })}
      onClose={onClose}
    />
  )
}

interface MemberLineProps {
  readonly member: people.MemberRow
  readonly you: boolean
  readonly steward: boolean
  onLink(link: Link): void
}

function MemberLine({ member, you, steward, onLink }: MemberLineProps) {
  const text = useText()
  const update = useAction("chorus_update_member")
  const makeLink = useAction("chorus_create_sign_in_link")
  const link = async () => {
    const made = await makeLink.run({ userUuid: member.uuid })
    if (made !== undefined) onLink(made)
  }
  return (
    <Row>
      <Avatar actor={{ type: "user", uuid: member.uuid, name: member.name }} />
      <div className="min-w-0 flex-1 basis-40">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <span className="min-w-0 wrap-anywhere">{member.name}</span>
          {you && <Badge>{text("settings.members.you")}</Badge>}
          {member.disabledAt !== null && <Badge tone="failed">{text("settings.members.disabled")}</Badge>}
        </p>
        {member.email !== null && <p className="text-xs wrap-anywhere text-faint">{member.email}</p>}
      </div>
      {steward && !you ? (
        <span className="ml-auto flex items-center gap-2">
          <Select
            className="w-32"
            aria-label={text("settings.members.roleOf", { name: member.name })}
            disabled={update.busy}
            value={member.role}
            onChange={(event) => void update.run({ userUuid: member.uuid, role: event.target.value as Role })}
          >
            {ROLES.map((role) => (
              <option key={role} value={role}>
                {text(`settings.role.${role}`)}
              </option>
            ))}
          </Select>
          <Menu
            align="end"
            trigger={<IconButton icon={Ellipsis} label={text("action.moreOf", { name: member.name })} />}
          >
            <MenuItem onSelect={() => void link()}>{text("settings.members.newLink")}</MenuItem>
            <MenuItem
              danger={member.disabledAt === null}
              onSelect={() => void update.run({ userUuid: member.uuid, disabled: member.disabledAt === null })}
            >
              {text(member.disabledAt === null ? "settings.members.disable" : "settings.members.enable")}
            </MenuItem>
          </Menu>
        </span>
      ) : (
        <span className="text-sm text-muted">{text(`settings.role.${member.role}`)}</span>
      )}
    </Row>
  )
}
