import { afterAll, afterEach } from "vitest"
import "../src/design/tokens.css"
import { HOUSE, LEAVE } from "./house.ts"
import { leaveStage } from "./stage.tsx"

// As it is before a test takes its place.
const network = globalThis.fetch
document.cookie = `${HOUSE}=${crypto.randomUUID()}; path=/`

afterEach(() => leaveStage())
afterAll(() => network(LEAVE))
