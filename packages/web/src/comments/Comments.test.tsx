import type { TaskId } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import type { Screen } from "../../test/cards.ts"
import { owner, showRouted } from "../../test/stage.tsx"
import { hire, makeProject, makeTasks } from "../../test/workplace.ts"
import { setLanguage } from "../i18n/language.ts"
import { Comments } from "./Comments.tsx"

async function makeConversation() {
  const [task = ""] = await makeTasks(await makeProject(), { title: "Talked about" })
  const say = async (content: string, parentUuid?: string) =>
    (
      await owner.call("chorus_add_comment", {
        targetType: "task",
        targetUuid: task,
        content,
        ...(parentUuid === undefined ? {} : { parentUuid }),
      })
    ).uuid
  const said = async () =>
    (await owner.call("chorus_get_comments", { targetType: "task", targetUuid: task, pageSize: 100 })).comments
  const shown = async (role: "owner" | "viewer" = "owner") =>
    (await showRouted(<Comments targetType="task" targetUuid={task} />, { role })).screen
  return { task, say, said, shown }
}

const PLACEHOLDER = "Write a comment… @ mentions, # links"

function field(screen: Screen, label = PLACEHOLDER) {
  return screen.getByLabelText(label)
}

function comment(screen: Screen, words: string) {
  return screen.getByRole("article").filter({ hasText: words })
}

describe("comments", () => {
  it("say that nobody has said anything, and keep what is said", async () => {
    const { shown, said } = await makeConversation()
    const screen = await shown()
    await expect.element(screen.getByText("No comments yet.")).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "Comment" })).toBeDisabled()
    await field(screen).fill("  Is it **done**?  ")
    await screen.getByRole("button", { name: "Comment" }).click()
    await expect.element(comment(screen, "Is it done?").getByRole("strong")).toBeVisible()
    await expect.element(field(screen)).toHaveValue("")
    await expect.element(screen.getByText("No comments yet.")).not.toBeInTheDocument()
    expect((await said()).map(({ content }) => content)).toEqual(["Is it **done**?"])
  })

  it("are sent by Ctrl+Enter and never when blank", async () => {
    const { shown, said } = await makeConversation()
    const screen = await shown()
    await field(screen).fill("   ")
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    await field(screen).fill("By key")
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    await expect.element(comment(screen, "By key")).toBeVisible()
    expect(await said()).toHaveLength(1)
  })

  it("of agents appear while one looks, and their answers under what they answer", async () => {
    const { task, say, shown } = await makeConversation()
    const ada = await hire("Ada")
    const question = await say("Who takes it?")
    await say("Another matter")
    const screen = await shown()
    await expect.element(comment(screen, "Who takes it?")).toBeVisible()
    await ada.client.call("chorus_add_comment", {
      targetType: "task",
      targetUuid: task,
      content: "I do.",
      parentUuid: question,
    })
    await expect.element(comment(screen, "I do.")).toBeVisible()
    expect(
      screen
        .getByRole("article")
        .elements()
        .map(({ textContent }) => /Who takes it|I do|Another/.exec(textContent)?.[0]),
    ).toEqual(["Who takes it", "I do", "Another"])
    await expect.element(screen.getByRole("article", { name: `Comment by ${ada.name}` })).toBeVisible()
  })

  it("keep the lines that were written, as an agent's report on each criterion", async () => {
    const { say, shown } = await makeConversation()
    await say("DONE\n[x] 1 looked at the page\n[x] 2 ran the tests")
    const screen = await shown()
    await expect.element(comment(screen, "ran the tests")).toBeVisible()
    const { innerText } = comment(screen, "ran the tests").element() as HTMLElement
    expect(innerText).toContain("[x] 1 looked at the page\n[x] 2 ran the tests")
  })

  it("stay in the field when they cannot be sent, with the reason shown", async () => {
    const { task, shown } = await makeConversation()
    const screen = await shown()
    await expect.element(field(screen)).toBeVisible()
    await owner.call("chorus_admin_delete_task", { taskUuid: task })
    await field(screen).fill("Too late, but I wrote so much")
    await screen.getByRole("button", { name: "Comment" }).click()
    await expect.element(screen.getByRole("alert")).toBeVisible()
    await expect.element(field(screen)).toHaveValue("Too late, but I wrote so much")
    await expect.element(screen.getByRole("button", { name: "Comment" })).toBeEnabled()
  })

  it("are only to be read by who may only look", async () => {
    const { say, shown } = await makeConversation()
    await say("Read me")
    const screen = await shown("viewer")
    await expect.element(comment(screen, "Read me")).toBeVisible()
    await expect.element(field(screen)).not.toBeInTheDocument()
    await expect.element(screen.getByRole("button", { name: "Answer" })).not.toBeInTheDocument()
  })

  it("of something that is gone are a problem with a way to try again", async () => {
    const { screen } = await showRouted(<Comments targetType="task" targetUuid={crypto.randomUUID()} />)
    await expect.element(screen.getByRole("alert").getByRole("button", { name: "Try again" })).toBeVisible()
  })

  it("never run what somebody wrote", async () => {
    const { say, shown } = await makeConversation()
    await say('<script>window.ran = true</script><a href="javascript:alert(1)">press</a> plain words')
    const screen = await shown()
    await expect.element(comment(screen, "plain words")).toBeVisible()
    expect(comment(screen, "plain words").element().querySelector("script, [href^=javascript]")).toBeNull()
    expect("ran" in window).toBe(false)
  })
})

describe("answering", () => {
  it("writes below the thread and goes back to it", async () => {
    const { say, said, shown } = await makeConversation()
    const first = await say("What colour?")
    const screen = await shown()
    await comment(screen, "What colour?").getByRole("button", { name: "Answer" }).click()
    const answer = field(screen, "Write an answer…")
    await expect.element(answer).toHaveFocus()
    await answer.fill("Blue")
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    await expect.element(comment(screen, "Blue")).toBeVisible()
    await expect.element(answer).not.toBeInTheDocument()
    expect((await said()).find(({ content }) => content === "Blue")?.parentUuid).toBe(first)
  })

  it.each(["{Escape}", "Cancel"])("is left with %s, and says nothing", async (way) => {
    const { say, said, shown } = await makeConversation()
    await say("What colour?")
    const screen = await shown()
    await comment(screen, "What colour?").getByRole("button", { name: "Answer" }).click()
    await field(screen, "Write an answer…").fill("Hmm")
    if (way === "Cancel") await screen.getByRole("button", { name: "Cancel" }).click()
    else await userEvent.keyboard(way)
    await expect.element(field(screen, "Write an answer…")).not.toBeInTheDocument()
    expect(await said()).toHaveLength(1)
  })
})

describe("an open question", () => {
  it("is answered by answering its comment, and where it waits below", async () => {
    const { task, shown } = await makeConversation()
    const agent = await hire("Asker")
    const ask = async (title: string) =>
      (await agent.client.call("chorus_create_attention", { title, taskUuid: task as TaskId })).uuid
    const [colour, size] = [await ask("Which colour?"), await ask("Which size?")]
    const answerOf = async (attentionUuid: string) =>
      (await agent.client.call("chorus_get_attention", { attentionUuid })).answer
    const screen = await shown()
    await comment(screen, "Which colour?").hover()
    await comment(screen, "Which colour?").getByRole("button", { name: "Answer" }).click()
    await field(screen, `Answer the question: ${agent.name} gets it at once`).fill("Red")
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    await expect.poll(() => answerOf(colour)).toEqual({ text: "Red" })
    const below = screen.getByRole("region", { name: "Needs you" })
    await below.getByRole("textbox", { name: "Answer" }).fill("Small")
    await below.getByRole("button", { name: "Send answer" }).click()
    await expect.poll(() => answerOf(size)).toEqual({ text: "Small" })
    await expect.element(below).not.toBeInTheDocument()
  })
})

describe("one's own comment", () => {
  it("is edited in place and marked so", async () => {
    const { say, said, shown } = await makeConversation()
    await say("It is gren")
    const screen = await shown()
    await comment(screen, "It is gren").getByRole("button", { name: "Edit" }).click()
    const editor = field(screen).first()
    await expect.element(editor).toHaveFocus()
    await expect.element(editor).toHaveValue("It is gren")
    await editor.fill("It is green")
    await screen.getByRole("button", { name: "Save" }).click()
    await expect.element(comment(screen, "It is green").getByText("edited")).toBeVisible()
    expect((await said())[0]?.content).toBe("It is green")
  })

  it("is deleted, and leaves its place only where others answered", async () => {
    const { say, shown } = await makeConversation()
    const asked = await say("Answered")
    await say("An answer", asked)
    await say("Alone")
    const screen = await shown()
    await comment(screen, "Alone").getByRole("button", { name: "Delete" }).click()
    await expect.element(comment(screen, "Alone")).not.toBeInTheDocument()
    await expect.element(screen.getByText("This comment was deleted.")).not.toBeInTheDocument()
    await screen.getByRole("article").first().getByRole("button", { name: "Delete" }).click()
    await expect.element(screen.getByText("This comment was deleted.")).toBeVisible()
    await expect.element(comment(screen, "An answer")).toBeVisible()
  })

  it("is the only one to be changed", async () => {
    const { task, shown } = await makeConversation()
    const ada = await hire()
    await ada.client.call("chorus_add_comment", { targetType: "task", targetUuid: task, content: "Mine" })
    const screen = await shown()
    await expect.element(comment(screen, "Mine").getByRole("button", { name: "Answer" })).toBeInTheDocument()
    await expect.element(comment(screen, "Mine").getByRole("button", { name: "Edit" })).not.toBeInTheDocument()
    await expect.element(comment(screen, "Mine").getByRole("button", { name: "Delete" })).not.toBeInTheDocument()
  })
})

describe("earlier comments", () => {
  it("are asked for a page at a time until none is hidden, without doubles", async () => {
    const { task, say, shown } = await makeConversation()
    const words = Array.from({ length: 103 }, (_, at) => `Word ${String(at).padStart(3, "0")}`)
    for (let at = 0; at < words.length; at += 20) await Promise.all(words.slice(at, at + 20).map((each) => say(each)))
    const screen = await shown()
    const more = screen.getByRole("button", { name: "Show earlier comments (3)" })
    await expect.element(more).toBeVisible()
    expect(screen.getByRole("article").elements()).toHaveLength(100)
    // Pushes one of the newest page into the next one.
    await owner.call("chorus_add_comment", { targetType: "task", targetUuid: task, content: "Word 103" })
    await expect.element(comment(screen, "Word 103")).toBeInTheDocument()
    await more.click()
    await expect.element(more).not.toBeInTheDocument()
    const shownWords = screen
      .getByRole("article")
      .elements()
      .map(({ textContent }) => /Word \d+/.exec(textContent)?.[0])
    expect(shownWords.toSorted()).toEqual([...words, "Word 103"])
  })
})

describe("in Chinese", () => {
  it("comments count and name in its own words", async () => {
    const { say, shown } = await makeConversation()
    await say("你好")
    await setLanguage("zh")
    const screen = await shown()
    await expect.element(comment(screen, "你好").getByText("刚刚")).toBeVisible()
    await expect.element(comment(screen, "你好").getByRole("button", { name: "回复" })).toBeInTheDocument()
  })
})
