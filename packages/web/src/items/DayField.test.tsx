import { expect, it } from "vitest"
import { page, userEvent } from "vitest/browser"
import { show } from "../../test/stage.tsx"
import { DayField } from "./DayField.tsx"

it("takes a day once it is whole, and none when it is emptied and left", async () => {
  const days: (string | null)[] = []
  const screen = await show(<DayField label="Due" value={null} onChange={(day) => days.push(day)} />)
  const field = screen.getByLabelText("Due")
  await field.click()
  await userEvent.keyboard("11222026")
  expect(days).toEqual(["2026-11-22"])
  const set = await show(<DayField label="Until" value="2026-11-22" onChange={(day) => days.push(day)} />)
  await set.getByLabelText("Until").fill("")
  expect(days).toHaveLength(1)
  await page.getByLabelText("Due").click()
  await expect.poll(() => days).toEqual(["2026-11-22", null])
})
