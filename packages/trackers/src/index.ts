export { fetchTracker, forgeOf } from "./fetch-tracker.ts"
export { type ForeignList, inOrder } from "./foreign-item.ts"
export { readTracker } from "./read-tracker.ts"
