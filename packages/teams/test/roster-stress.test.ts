/** @module-tag stress */
import { TEAM_COLORS } from "@chorus/contracts"
import { expect, test } from "vitest"
import { createTeam } from "../src/index.ts"
import { figure, scratchRoot, startWorker, STRESS } from "./worker.ts"

test("40 concurrent registrations give 40 members with the right colours", async () => {
  const root = scratchRoot()
  const team = await createTeam({ name: "crowd" }, { root })
  const [processes, each] = STRESS ? [40, 1] : [8, 5]
  const names = (n: number) => Array.from({ length: each }, (_, index) => `m${n}-${index}`)
  await Promise.all(Array.from({ length: processes }, (_, n) => startWorker("joiner", root, "crowd", ...names(n)).done))
  const members = (await team.config()).members.slice(1)
  expect(members.length).toBe(40)
  expect(new Set(members.map((member) => member.name)).size).toBe(40)
  expect(members.map((member) => member.color)).toEqual(Array.from({ length: 40 }, (_, n) => TEAM_COLORS[n % 8]))
  figure(`${processes} processes register 40 members: 40 on the roster, colours in order`)
})

test("many claimers, each task won once", async () => {
  const [agents, count] = STRESS ? [20, 100] : [6, 24]
  const root = scratchRoot()
  const team = await createTeam({ name: "race" }, { root })
  for (let n = 0; n < count; n++) await team.createTask({ subject: `t${n}`, description: "" })
  const won = await Promise.all(
    Array.from({ length: agents }, (_, n) => startWorker("claimer", root, "race", `a${n}`).done),
  )
  const all = won
    .flat()
    .map(Number)
    .sort((one, other) => one - other)
  expect(all).toEqual(Array.from({ length: count }, (_, n) => n + 1))
  expect((await team.tasks()).every((task) => task.status === "completed" && task.owner !== undefined)).toBe(true)
  figure(`${agents} processes claim ${count} tasks: each won once`)
})
