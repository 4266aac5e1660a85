import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import "./design/tokens.css"
import { startTheme } from "./design/index.ts"
import { startLanguage } from "./i18n/language.ts"
import { forgetOldDrafts } from "./live/draft.ts"
import { App } from "./shell/App.tsx"
import { startStaleCheck } from "./shell/stale-page.ts"
import { startStyleNonce } from "./shell/style-nonce.ts"
import { takeLink } from "./sign-in/opened-link.ts"

// Before anything else: whatever goes wrong below must not leave the token in the address.
const link = takeLink()
startStyleNonce()
startStaleCheck()
startTheme()
forgetOldDrafts()
await startLanguage()
const root = document.getElementById("root")
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App link={link} />
    </StrictMode>,
  )
}
