export { type Captured, type CaptureOptions, captureChange } from "./capture.ts"
export { git, type GitOptions, repositoryOf } from "./git.ts"
export { sendChange } from "./send.ts"
export { writeTree } from "./tree.ts"
