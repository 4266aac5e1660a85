import { createContext } from "react"

/** Whether events are coming in right now. */
export const ConnectionContext = createContext(true)
