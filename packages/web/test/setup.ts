import { afterAll, afterEach } from "vitest"
import "../src/design/tokens.css"
import "./act.ts"
import { enterHouse, leaveHouse } from "./house.ts"
import { pressFromWithin } from "./press.ts"
import { clearStage } from "./stage.tsx"

enterHouse()
pressFromWithin()

afterEach(() => clearStage())
afterAll(() => leaveHouse())
