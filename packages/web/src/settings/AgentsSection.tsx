import type { agents, OutputOf } from "@chorus/contracts"
import { Ellipsis, Plus } from "lucide-react"
import { useState } from "react"
import { Avatar, Badge, Button, Dot, IconButton, Menu, MenuItem, toast } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { followRows } from "../live/follow.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { AgentDialog } from "./AgentDialog.tsx"
import { AgentKeys } from "./AgentKeys.tsx"
import { presetOf } from "./permission-set.ts"
import { Pending, Section } from "./Section.tsx"

type Answer = OutputOf<typeof agents.listAgents>

export const followAgents = followRows<Answer>({
  entity: "agent",
  rows: "agents",
  belongs: ({ archivedAt }) => archivedAt === null,
})

export function AgentsSection() {
  const text = useText()
  const { person } = useSignedIn()
  const loaded = useOperation("chorus_list_agents", { pageSize: 100 }, followAgents)
  const { answer } = loaded
  const [editing, setEditing] = useState<agents.AgentRow | "new">()
  if (answer === undefined) return <Pending of={loaded} />
  return (
    <Section
      title={text("settings.agents")}
      lead={text("settings.agents.lead")}
      action={
        mayChange(person) && (
          <Button tone="primary" icon={Plus} onClick={() => setEditing("new")}>
            {text("settings.agents.new")}
          </Button>
        )
      }
    >
      {answer.agents.length === 0 && <p className="text-sm text-muted">{text("settings.agents.none")}</p>}
      <ul className="grid gap-3">
        {answer.agents.map((agent) => (
          <AgentCard key={agent.uuid} agent={agent} editable={mayChange(person)} onEdit={() => setEditing(agent)} />
        ))}
      </ul>
      {editing !== undefined && (
        <AgentDialog
          agent={editing === "new" ? undefined : editing}
          onClose={() => setEditing(undefined)}
          onSaved={() => setEditing(undefined)}
        />
      )}
    </Section>
  )
}

interface AgentCardProps {
  readonly agent: agents.AgentRow
  readonly editable: boolean
  onEdit(): void
}

const ALIVE_MS = 5 * 60_000

function AgentCard({ agent, editable, onEdit }: AgentCardProps) {
  const text = useText()
  const format = useFormat()
  const update = useAction("chorus_update_agent")
  const preset = presetOf(new Set(agent.permissions))
  const alive = agent.lastActiveAt !== null && Date.now() - Date.parse(agent.lastActiveAt) < ALIVE_MS
  const archive = async () => {
    if ((await update.run({ agentUuid: agent.uuid, archived: true })) === undefined) return
    toast(text("settings.agents.archived"), { undo: () => void update.run({ agentUuid: agent.uuid, archived: false }) })
  }
  return (
    <li className="rounded-lg border border-line bg-surface">
      <div className="flex flex-wrap items-center gap-3 px-4 py-3">
        <Avatar actor={{ type: "agent", uuid: agent.uuid, name: agent.name }} size="lg" />
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            <span className="min-w-0 wrap-anywhere">{agent.name}</span>
            <Badge>
              {preset === undefined ? text("settings.agents.fine") : text(`settings.agents.preset.${preset}`)}
            </Badge>
            <Badge>
              {agent.projectUuids === null
                ? text("settings.agents.allProjects")
                : text("settings.agents.someProjects", { count: agent.projectUuids.length })}
            </Badge>
          </p>
          <p className="mt-0.5 flex items-center gap-1.5 text-xs text-faint">
            <Dot tone={alive ? "done" : "todo"} />
            {agent.lastActiveAt === null
              ? text("settings.agents.never")
              : text("settings.agents.active", { when: format.ago(agent.lastActiveAt) })}
          </p>
        </div>
        {editable && (
          <Menu
            align="end"
            trigger={<IconButton icon={Ellipsis} label={text("action.moreOf", { name: agent.name })} />}
          >
            <MenuItem onSelect={onEdit}>{text("action.edit")}</MenuItem>
            <MenuItem danger onSelect={() => void archive()}>
              {text("settings.agents.archive")}
            </MenuItem>
          </Menu>
        )}
      </div>
      {editable && <AgentKeys agentUuid={agent.uuid} />}
    </li>
  )
}
