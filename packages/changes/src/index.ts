export { type Base, baseOf } from "./base.ts"
export { beginningOf, forgetBeginning, keepBeginning, keepShown } from "./beginning.ts"
export { type Captured, type CaptureOptions, captureChange } from "./capture.ts"
export { assertShown } from "./shown.ts"
export { git, gitEnd, type GitOptions, gitWorktree, repositoryOf } from "./git.ts"
export { hiddenFiles } from "./hidden.ts"
export { assertSameRepository, checkoutIn } from "./identity.ts"
export {
  type LandOptions,
  landingMade,
  landWork,
  type Outcome,
  previewLanding,
  type RealLandOptions,
  type Work,
} from "./land.ts"
export { proposedOf, proposeWork, type PullRequest } from "./propose.ts"
export { sendChange } from "./send.ts"
export { checkedOut } from "./target.ts"
export { writeTree } from "./tree.ts"
