import type { Operation } from "../../operation.ts"
import { approveCheck, getChecks, runChecks, sendCheck } from "../checks/checks.ts"
import { leaseCheck, reportCheck } from "../checks/lease-check.ts"
import { startPreview, stopPreview } from "../checks/preview.ts"
import { lookAtRun } from "./look-at-run.ts"
import { pushChange, sendChange } from "./push-change.ts"
import { getChange, getChangeContent, viewChange } from "./read-change.ts"
import { commentOnChange } from "./threads.ts"
import { getLanding, landChange, landProposal, listLandings, withdrawLanding } from "../landings/land.ts"
import { revertLanding } from "../landings/revert.ts"
import { leaseLanding, reportLanding } from "../landings/lease.ts"
import { listPullRequests, reportPullRequests } from "../landings/pull-requests.ts"

/** Reading what was done, checking it, and bringing it home. */
export const reviewOperations: readonly Operation[] = [
  getLanding,
  landChange,
  landProposal,
  leaseLanding,
  listLandings,
  listPullRequests,
  reportLanding,
  reportPullRequests,
  revertLanding,
  withdrawLanding,
  approveCheck,
  commentOnChange,
  getChecks,
  leaseCheck,
  startPreview,
  stopPreview,
  reportCheck,
  runChecks,
  sendCheck,
  getChange,
  getChangeContent,
  lookAtRun,
  pushChange,
  sendChange,
  viewChange,
]
