export { claudeHookLines } from "./claude/hook-lines.ts"
