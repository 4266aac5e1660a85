import { afterEach } from "vitest"
import "../src/design/tokens.css"
import { leaveStage } from "./stage.tsx"

afterEach(() => leaveStage())
