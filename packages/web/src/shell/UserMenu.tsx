import { useNavigate } from "@tanstack/react-router"
import { ChevronsUpDown, Keyboard, LogOut, Plug, Settings } from "lucide-react"
import { useState } from "react"
import {
  AskDialog,
  Avatar,
  Menu,
  MenuChoice,
  MenuItem,
  MenuLine,
  setTheme,
  toastError,
  useTheme,
} from "../design/index.ts"
import { LANGUAGES, setLanguage, useLanguage, useText } from "../i18n/language.ts"
import { draftsOf, forgetDrafts } from "../live/draft.ts"
import { themeChoices } from "../settings/theme-choices.ts"
import { signOut } from "../sign-in/sign-in.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { leaveByWish } from "../sign-in/use-sign-in.ts"
import { mayChange } from "./rights.ts"
import { useShell } from "./shell-context.ts"

export function UserMenu() {
  const text = useText()
  const theme = useTheme()
  const language = useLanguage()
  const navigate = useNavigate()
  const { person, refresh } = useSignedIn()
  const { openShortcuts } = useShell()
  /** How many unsent texts would stay behind. */
  const [unsent, setUnsent] = useState(0)
  const leave = (forget = false) =>
    void signOut().then(() => {
      if (forget) forgetDrafts(person.uuid)
      leaveByWish()
      refresh()
    }, toastError)
  const ask = () => {
    const { length } = draftsOf(person.uuid)
    if (length === 0) leave()
    else setUnsent(length)
  }
  const menu = (
    <Menu
      side="top"
      trigger={
        <button
          type="button"
          className="flex h-10 w-full cursor-pointer items-center gap-2 rounded-md px-2 text-left hover:bg-hover data-[state=open]:bg-hover"
        >
          <span className="sr-only">{text("nav.account")}</span>
          <span aria-hidden>
            <Avatar actor={{ type: "user", uuid: person.uuid, name: person.name }} />
          </span>
          <span className="min-w-0 flex-1 truncate text-sm font-medium">{person.name}</span>
          <ChevronsUpDown aria-hidden className="size-4 text-faint" />
        </button>
      }
    >
      <MenuItem
        icon={Settings}
        onSelect={() => void navigate({ to: "/settings/$section", params: { section: "profile" } })}
      >
        {text("nav.settings")}
      </MenuItem>
      {mayChange(person) && (
        <MenuItem icon={Plug} onSelect={() => void navigate({ to: "/welcome" })}>
          {text("nav.welcome")}
        </MenuItem>
      )}
      <MenuItem icon={Keyboard} hint="?" onSelect={openShortcuts}>
        {text("menu.shortcuts")}
      </MenuItem>
      <MenuLine />
      <MenuChoice label={text("menu.theme")} value={theme} onChange={setTheme} options={themeChoices(text)} />
      <MenuLine />
      <MenuChoice
        label={text("menu.language")}
        value={language}
        onChange={(next) => void setLanguage(next).catch(toastError)}
        options={LANGUAGES}
      />
      <MenuLine />
      <MenuItem icon={LogOut} onSelect={ask}>
        {text("menu.signOut")}
      </MenuItem>
    </Menu>
  )
  return (
    <>
      {menu}
      <AskDialog
        open={unsent > 0}
        title={text("signOut.title", { count: unsent })}
        description={text("signOut.lead")}
        confirm={text("signOut.keep")}
        also={text("signOut.forget")}
        onClose={() => setUnsent(0)}
        onConfirm={() => leave()}
        onAlso={() => leave(true)}
      />
    </>
  )
}
