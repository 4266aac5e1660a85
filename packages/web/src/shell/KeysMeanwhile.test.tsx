import { expect, it, vi } from "vitest"
import { userEvent } from "vitest/browser"
import { show } from "../../test/stage.tsx"
import { KeysMeanwhile } from "./KeysMeanwhile.tsx"

it("keeps what is typed while the palette is fetched, away from the page, until Escape", async () => {
  const typed = { current: "" }
  const onClose = vi.fn()
  const heard = vi.fn()
  await show(<KeysMeanwhile typed={typed} onClose={onClose} />)
  document.body.addEventListener("keydown", heard, { once: true })
  await userEvent.keyboard("lamx{Backspace}p")
  expect(typed.current).toBe("lamp")
  expect(heard).not.toHaveBeenCalled()
  await userEvent.keyboard("{Escape}")
  expect(onClose).toHaveBeenCalledOnce()
})
