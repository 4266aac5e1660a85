import { Outlet } from "@tanstack/react-router"
import { useContext } from "react"
import { useText } from "../i18n/language.ts"
import { ConnectionContext } from "./connection.ts"

/** What stands around every page. */
export function Frame() {
  const text = useText()
  const connected = useContext(ConnectionContext)
  return (
    <div className="flex h-full flex-col">
      {!connected && (
        <p role="status" className="bg-waiting-soft px-4 py-1 text-center text-sm text-waiting">
          {text("app.reconnecting")}
        </p>
      )}
      <Outlet />
    </div>
  )
}
