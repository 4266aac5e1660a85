import type { proposals } from "@chorus/contracts"
import { Check, Ellipsis, GitMerge, Send, Undo2, X } from "lucide-react"
import { useState } from "react"
import { attempt } from "../attention/attempt.ts"
import { gone } from "../attention/use-decisions.ts"
import { Button, IconButton, Menu, MenuItem, ReasonDialog, toast, usePending } from "../design/index.ts"
import { say, type TextKey, useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useLive } from "../live/use-operation.ts"
import { useLandable } from "../landings/landing.ts"
import { MergeDialog } from "../landings/MergeDialog.tsx"
import { BuildAll } from "../runs/BuildAll.tsx"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { howMuch } from "./proposal-status.ts"
import { RejectPlan } from "./RejectPlan.tsx"

type Step = "approve" | "revoke" | "close"

/** What a person decides about a plan; each step says what it does before it is taken. */
export function ProposalActions({ proposal }: { readonly proposal: proposals.ProposalDetail }) {
  const text = useText()
  const { person } = useSignedIn()
  const [step, setStep] = useState<Step>()
  const [rejecting, setRejecting] = useState(false)
  const [merging, setMerging] = useState(false)
  const approve = useAction("chorus_admin_approve_proposal")
  const reject = useAction("chorus_pm_reject_proposal")
  const revoke = useAction("chorus_pm_revoke_proposal")
  const close = useAction("chorus_admin_close_proposal")
  const submit = useAction("chorus_pm_submit_proposal")
  const { client } = useLive()
  const pending = usePending(({ uuid }) => uuid === proposal.uuid) !== undefined
  const mergeable = useLandable(proposal) > 0
  if (!mayChange(person)) return null
  const { uuid: proposalUuid, status, title } = proposal
  const busy = pending || approve.busy || reject.busy || revoke.busy || close.busy || submit.busy
  const take = (reviewNote: string, held?: Promise<boolean>) =>
    attempt<object>(client, proposal, async () => {
      const note = reviewNote === "" ? {} : { reviewNote }
      const options = { held, ...gone(proposal) }
      if (step === "approve") return told(await approve.run({ proposalUuid, ...note }, options), "needsYou.approved")
      if (step === "revoke") return revoke.run({ proposalUuid, ...note }, options)
      return close.run({ proposalUuid, reviewNote }, options)
    })
  const words: Record<
    Step,
    { readonly title: TextKey; readonly lead: TextKey; readonly confirm: TextKey; readonly holding: TextKey }
  > = {
    approve: {
      title: "proposals.approveTitle",
      lead: "proposals.approveLead",
      confirm: "needsYou.approve",
      holding: "needsYou.deciding.proposal",
    },
    revoke: {
      title: "proposals.revokeTitle",
      lead: "proposals.revokeLead",
      confirm: "proposals.revoke",
      holding: "needsYou.deciding.revoke",
    },
    close: {
      title: "proposals.closeTitle",
      lead: "proposals.closeLead",
      confirm: "proposals.close",
      holding: "needsYou.deciding.close",
    },
  }
  const shown = words[step ?? "approve"]
  return (
    <>
      {status === "draft" && (
        <Button icon={Send} disabled={busy} onClick={() => void submit.run({ proposalUuid })}>
          {text("proposals.submit")}
        </Button>
      )}
      {status === "approved" && (
        <>
          {mergeable && (
            <Button icon={GitMerge} onClick={() => setMerging(true)}>
              {text("landings.mergeAll")}
            </Button>
          )}
          <BuildAll proposalUuid={proposalUuid} projectUuid={proposal.projectUuid} />
        </>
      )}
      {merging && <MergeDialog proposalUuid={proposalUuid} title={proposal.title} onClose={() => setMerging(false)} />}
      {status === "pending" && (
        <>
          <Button icon={X} disabled={busy} onClick={() => setRejecting(true)}>
            {text("needsYou.reject")}
          </Button>
          <Button tone="primary" icon={Check} disabled={busy} onClick={() => setStep("approve")}>
            {text("needsYou.approve")}
          </Button>
        </>
      )}
      {status !== "closed" && (
        <Menu trigger={<IconButton icon={Ellipsis} label={text("action.more")} />} align="end">
          {status === "approved" ? (
            <MenuItem icon={Undo2} danger onSelect={() => setStep("revoke")}>
              {text("proposals.revoke")}
            </MenuItem>
          ) : (
            <MenuItem icon={X} danger onSelect={() => setStep("close")}>
              {text("proposals.close")}
            </MenuItem>
          )}
        </Menu>
      )}
      {rejecting && (
        <RejectPlan
          of={proposal}
          onClose={() => setRejecting(false)}
          onBack={() => setRejecting(true)}
          onReject={(reviewNote, held) =>
            attempt(client, proposal, async () =>
              told(await reject.run({ proposalUuid, reviewNote }, { held, ...gone(proposal) }), "needsYou.rejected"),
            )
          }
        />
      )}
      <ReasonDialog
        open={step !== undefined}
        draft={`${step ?? "approve"}.${proposalUuid}`}
        required={step === "close"}
        tone={step === "revoke" || step === "close" ? "danger" : "primary"}
        title={text(shown.title)}
        lead={text(shown.lead, howMuch(text, proposal))}
        confirm={text(shown.confirm)}
        holding={text(shown.holding, { title })}
        about={{ kind: "proposal", uuid: proposalUuid, projectUuid: proposal.projectUuid, yes: step === "approve" }}
        onClose={() => setStep(undefined)}
        onBack={() => setStep(step)}
        onConfirm={take}
      />
    </>
  )
}

function told<Answer>(done: Answer | undefined, key: TextKey): Answer | undefined {
  if (done !== undefined) toast(say(key))
  return done
}
