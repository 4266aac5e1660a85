import type { landings, ProposalId, TaskId } from "@chorus/contracts"
import { useState } from "react"
import { AskDialog, Field, Input, Select, toast } from "../design/index.ts"
import { say, useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"

const WAYS: readonly landings.LandingHow[] = ["squash", "merge", "rebase"]

type Of = { readonly taskUuid: string } | { readonly proposalUuid: string }

/** Brings the work of a task, or all verified work of a proposal, into its branch. */
export function MergeDialog({ title, onClose, ...of }: Of & { readonly title: string; onClose(): void }) {
  const text = useText()
  const land = useAction("chorus_land_change")
  const landAll = useAction("chorus_land_proposal")
  const [how, setHow] = useState<landings.LandingHow>("squash")
  const [branch, setBranch] = useState("")
  const way = { how, ...(branch.trim() === "" ? {} : { branch: branch.trim() }) }
  const begin = async () => {
    if ("taskUuid" in of) {
      if ((await land.run({ taskUuid: of.taskUuid as TaskId, ...way })) !== undefined) onClose()
      return
    }
    const train = await landAll.run({ proposalUuid: of.proposalUuid as ProposalId, ...way })
    if (train === undefined) return
    toast(say("landings.train", { count: train.landings.length, left: train.left.length }))
    onClose()
  }
  return (
    <AskDialog
      open
      title={text("taskUuid" in of ? "landings.merge" : "landings.mergeAll")}
      description={text("taskUuid" in of ? "landings.mergeLead" : "landings.mergeAllLead")}
      confirm={text("landings.merge")}
      disabled={land.busy || landAll.busy}
      onClose={onClose}
      onConfirm={() => void begin()}
    >
      <div className="grid grid-cols-1 gap-4">
        <p className="font-medium wrap-anywhere">{title}</p>
        <Field label={text("landings.how")}>
          {(field) => (
            <Select {...field} value={how} onChange={(event) => setHow(event.target.value as landings.LandingHow)}>
              {WAYS.map((one) => (
                <option key={one} value={one}>
                  {text(`landings.how.${one}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={text("landings.branch")} hint={text("landings.branchHint")}>
          {(field) => <Input {...field} value={branch} onChange={(event) => setBranch(event.target.value)} />}
        </Field>
      </div>
    </AskDialog>
  )
}
