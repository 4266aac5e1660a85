import { expect, it } from "vitest"
import { openPage } from "../../test/stage.tsx"
import { hire } from "../../test/workplace.ts"

/** An agent whose program asks in its own dialog while its hook waits for the page. */
async function asking(tool_name: string, tool_input: Record<string, unknown>, answer_seconds = 60) {
  const { client } = await hire("Asks")
  const event = { session_id: crypto.randomUUID(), cwd: "/home/ada/orchard", tool_name, tool_input }
  const asked = await client.call("chorus_hook", { ...event, hook_event_name: "PermissionRequest", answer_seconds })
  const answered = async () => {
    const attention_uuid = asked.chorus?.attentionUuid ?? ""
    const told = await client.call("chorus_hook", { ...event, hook_event_name: "PermissionAnswer", attention_uuid })
    return told.hookSpecificOutput?.decision
  }
  const { screen } = await openPage("/")
  const card = (title: string) => screen.getByRole("main").getByRole("listitem").filter({ hasText: title }).first()
  return { screen, card, answered }
}
const unique = (title: string) => `${title} ${crypto.randomUUID().slice(0, 8)}?`
const option = (label: string) => ({ label, description: `${label} it is` })

it("offers the options of each question and words of one's own, and the program gets exactly those", async () => {
  const [which, where] = [unique("Which colour"), unique("Where")]
  const questions = [
    { question: which, header: "Colour", options: [option("Red"), option("Blue")], multiSelect: false },
    { question: where, header: "Place", options: [option("In"), option("Out")], multiSelect: true },
  ]
  const { card, answered } = await asking("AskUserQuestion", { questions })
  await expect.element(card(which)).toMatchTextContent("orchard")
  const send = card(which).getByRole("button", { name: "Send answer" })
  await expect.element(send).toBeDisabled()
  await expect.element(card(which).getByText("{", { exact: false })).not.toBeInTheDocument()
  await card(which).getByRole("button", { name: /^Red/ }).click()
  await card(which).getByRole("button", { name: /^Blue/ }).click()
  await expect.element(card(which).getByRole("button", { name: /^Red/ })).toHaveAttribute("aria-pressed", "false")
  await card(which).getByRole("button", { name: /^In/ }).click()
  await card(which).getByRole("textbox").nth(1).fill("and under")
  await send.click()
  await expect.poll(answered).toEqual({
    behavior: "allow",
    updatedInput: { questions, answers: { [which]: "Blue", [where]: "In, and under" } },
  })
})

it("keeps words of one's own when an option is chosen instead of them, and takes them again when it is let go", async () => {
  const which = unique("Which colour")
  const questions = [{ question: which, header: "Colour", options: [option("Red")], multiSelect: false }]
  const { card, answered } = await asking("AskUserQuestion", { questions })
  const red = card(which).getByRole("button", { name: /^Red/ })
  const own = card(which).getByRole("textbox")
  await own.fill("A warm white")
  await red.click()
  await expect.element(own).toHaveValue("A warm white")
  await expect.element(own).toHaveAccessibleDescription("Not sent while an option is chosen.")
  await red.click()
  await expect.element(red).toHaveAttribute("aria-pressed", "false")
  await expect.element(own).not.toHaveAccessibleDescription()
  await card(which).getByRole("button", { name: "Send answer" }).click()
  await expect.poll(answered).toMatchObject({ updatedInput: { answers: { [which]: "A warm white" } } })
})

it("renders a plan to approve", async () => {
  const title = unique("Paint the hall")
  const { card, answered } = await asking("ExitPlanMode", { plan: `# ${title}\n\n1. Paint **twice**.` })
  await expect.element(card(title).getByText("twice")).toBeVisible()
  await expect.element(card(title).getByText("**twice**")).not.toBeInTheDocument()
  await card(title).getByRole("button", { name: "Approve" }).click()
  await expect.poll(answered).toMatchObject({ behavior: "allow" })
})

it("says where a question can only be answered in its terminal", async () => {
  const which = unique("Which one")
  const { card } = await asking("AskUserQuestion", { questions: [{ question: which, options: [option("This")] }] }, 0)
  await expect.element(card(which).getByText("This one can only be answered in its terminal.")).toBeVisible()
  await expect.element(card(which).getByText("This: This it is")).toBeVisible()
  await expect.element(card(which).getByRole("button", { name: "Send answer" })).not.toBeInTheDocument()
})

it("is one form, whether it is filled in on the card or in its preview", async () => {
  const which = unique("Which colour")
  const questions = [
    { question: which, header: "Colour", options: [option("Red"), option("Blue")], multiSelect: false },
  ]
  const { screen, card, answered } = await asking("AskUserQuestion", { questions })
  await card(which).getByRole("button", { name: /^Red/ }).click()
  const preview = screen.getByRole("region", { name: "Preview" })
  await expect.element(preview.getByRole("button", { name: /^Red/ })).toHaveAttribute("aria-pressed", "true")
  await preview.getByRole("button", { name: /^Blue/ }).click()
  await expect.element(card(which).getByRole("button", { name: /^Blue/ })).toHaveAttribute("aria-pressed", "true")
  await preview.getByRole("button", { name: "Send answer" }).click()
  await expect.poll(answered).toMatchObject({ updatedInput: { answers: { [which]: "Blue" } } })
})
