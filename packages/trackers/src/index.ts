export { fetchTracker, forgeOf } from "./fetch-tracker.ts"
export { type ForeignList, inOrder } from "./foreign-item.ts"
export { type Ask, type ForgeIssues, forgeIssues, issueTold } from "./forge-issues.ts"
export { readTracker } from "./read-tracker.ts"
