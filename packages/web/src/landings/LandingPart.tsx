import type { landings, OutputOf, tasks } from "@chorus/contracts"
import { Link, useNavigate } from "@tanstack/react-router"
import { GitMerge, GitPullRequest, RotateCcw, SearchCheck, Undo2 } from "lucide-react"
import { useState } from "react"
import { Badge, Button, Section, toast, When, Who } from "../design/index.ts"
import { say, useText } from "../i18n/language.ts"
import { Reason } from "../markdown/Reason.tsx"
import { useAction } from "../live/use-action.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { type Landing, LANDING_TONE, useLandings } from "./landing.ts"
import { MergeDialog } from "./MergeDialog.tsx"
import { PullRequest, usePullRequest } from "./PullRequest.tsx"
import { SendBackWith } from "./SendBackWith.tsx"

/** Where a task's work has landed or why it has not, and what a person can do about it. */
export function LandingPart({ task }: { readonly task: tasks.TaskDetail }) {
  const text = useText()
  const { person } = useSignedIn()
  const [asking, setAsking] = useState(false)
  const land = useAction("chorus_land_change")
  const { answer } = useLandings(task.uuid)
  const pull = usePullRequest(task.projectUuid, task.uuid)
  // What was proposed stands as its pull request; what it did not come to is said.
  const newest = answer?.landings.find(({ state }) => state !== "proposed")
  const judged = task.status === "to_verify" || task.status === "done"
  const may = mayChange(person) && answer?.landable === true && judged
  const elsewhere = judged && answer?.landable === false ? answer.obstacle : null
  if (newest === undefined && pull === undefined && !may && elsewhere === null) return null
  const propose = () => void land.run({ taskUuid: task.uuid, act: "propose" })
  const look = () => void land.run({ taskUuid: task.uuid, act: "preview" })
  return (
    <Section
      title={text("landings.title")}
      actions={
        may && (
          <span className="flex flex-wrap gap-2">
            <Button size="sm" icon={SearchCheck} disabled={land.busy} onClick={look}>
              {text("landings.preview")}
            </Button>
            {answer.proposable && (
              <Button size="sm" icon={GitPullRequest} disabled={land.busy} onClick={propose}>
                {text(pull?.state === "open" ? "landings.proposeAgain" : "landings.propose")}
              </Button>
            )}
            {task.status === "done" && (
              <Button size="sm" tone="primary" icon={GitMerge} onClick={() => setAsking(true)}>
                {text("landings.merge")}
              </Button>
            )}
          </span>
        )
      }
    >
      {pull !== undefined && <PullRequest row={pull} />}
      {newest !== undefined && newest.state !== "withdrawn" && (
        <State landing={newest} judged={judged} reverted={answer?.reverted ?? null} />
      )}
      {elsewhere !== null && (
        <p className="text-sm wrap-anywhere text-muted">
          <Reason text={elsewhere} />
        </p>
      )}
      {asking && <MergeDialog taskUuid={task.uuid} title={task.title} onClose={() => setAsking(false)} />}
    </Section>
  )
}

interface StateProps {
  readonly landing: Landing
  readonly judged: boolean
  readonly reverted: OutputOf<typeof landings.getLanding>["reverted"]
}

/** `judged`: it is handed in or verified, so that it can still be sent back. */
function State({ landing, judged, reverted }: StateProps) {
  const text = useText()
  const { person } = useSignedIn()
  const { state, act, branch, commit, reason, files, machine, by, endedAt, createdAt } = landing
  return (
    <div className="grid grid-cols-1 gap-2 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={LANDING_TONE[state]}>{text(`landings.state.${state}`)}</Badge>
        {act === "preview" && <span className="text-muted">{text("landings.onlyLooked")}</span>}
        {act === "propose" && <span className="text-muted">{text("landings.asPullRequest")}</span>}
        {branch !== null && (
          <span className="font-mono text-xs break-all">
            {commit === null || commit === landing.onto ? branch : `${commit.slice(0, 12)} → ${branch}`}
          </span>
        )}
        {landing.pushed && <Badge tone="done">{text("landings.pushed")}</Badge>}
        <span className="flex items-center gap-2 text-xs text-muted">
          <Who actor={by} />
          {machine}
          <When at={endedAt ?? createdAt} />
        </span>
      </p>
      {files.length > 0 && (
        <ul aria-label={text("landings.conflicts")} className="grid gap-0.5 font-mono text-xs">
          {files.map((file) => (
            <li key={file} className="break-all">
              {file}
            </li>
          ))}
        </ul>
      )}
      {reason !== null && (
        <p className="break-words whitespace-pre-wrap text-muted">
          {state === "clean" && `${text("landings.inTheWay")} `}
          <Reason text={reason} />
        </p>
      )}
      {state === "conflict" && act === "preview" && judged && (
        <>
          <p>{text("landings.wouldGoBack")}</p>
          {mayChange(person) && <SendBackWith landing={landing} />}
        </>
      )}
      {reverted === null ? (
        <Steps landing={landing} />
      ) : (
        <p>
          {text("landings.reverted")}{" "}
          <Link
            className="underline"
            to="/projects/$projectUuid/tasks/$taskUuid"
            params={{ projectUuid: landing.projectUuid, taskUuid: reverted.uuid }}
          >
            {reverted.shortId ?? reverted.title}
          </Link>
        </p>
      )}
    </div>
  )
}

function Steps({ landing }: { readonly landing: Landing }) {
  const text = useText()
  const navigate = useNavigate()
  const { person } = useSignedIn()
  const withdraw = useAction("chorus_withdraw_landing")
  const revert = useAction("chorus_revert_landing")
  const { uuid: landingUuid, state, act, projectUuid, onto, commit } = landing
  // What was in the branch before is nobody's to take out from here.
  if (!mayChange(person) || (state === "landed" && commit === onto)) return null
  const takeOut = async () => {
    const made = await revert.run({ landingUuid })
    if (made === undefined) return
    toast(say("landings.revertMade"))
    void navigate({
      to: "/projects/$projectUuid/tasks/$taskUuid",
      params: { projectUuid, taskUuid: made.uuid },
      ignoreBlocker: true,
    })
  }
  if (state === "landed" && act === "land")
    return (
      <div>
        <Button size="sm" icon={RotateCcw} disabled={revert.busy} onClick={() => void takeOut()}>
          {text("landings.revert")}
        </Button>
      </div>
    )
  if (state !== "queued" && state !== "refused") return null
  return (
    <div>
      <Button size="sm" icon={Undo2} disabled={withdraw.busy} onClick={() => void withdraw.run({ landingUuid })}>
        {text("landings.withdraw")}
      </Button>
    </div>
  )
}
