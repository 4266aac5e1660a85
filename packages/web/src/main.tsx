import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import "./design/tokens.css"
import { startTheme } from "./design/theme.ts"
import { startLanguage } from "./i18n/language.ts"
import { App } from "./shell/App.tsx"

// Libraries that make a style element look for the nonce under this name.
Object.assign(globalThis, { __webpack_nonce__: document.querySelector<HTMLElement>("meta[property=csp-nonce]")?.nonce })
startTheme()
await startLanguage()
const root = document.getElementById("root")
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
