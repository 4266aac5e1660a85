import { afterAll, afterEach } from "vitest"
import "../src/design/tokens.css"
import { HOUSE, LEAVE } from "./house.ts"
import { clearStage } from "./stage.tsx"

// As it is before a test takes its place.
const network = globalThis.fetch
document.cookie = `${HOUSE}=${crypto.randomUUID()}; path=/`

afterEach(() => clearStage())
afterAll(() => network(LEAVE))
