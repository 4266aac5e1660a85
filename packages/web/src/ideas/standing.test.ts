import type { LogEvent } from "@chorus/contracts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { logEvent } from "../../test/rows.ts"
import {
  BADGE_LABEL,
  followIdeas,
  groupsOf,
  STANDING_TONE,
  STANDINGS,
  type Tree,
  type TreeIdea,
  treeOf,
} from "./standing.ts"

function idea(uuid: string, changes: Partial<TreeIdea> = {}): TreeIdea {
  return {
    uuid,
    projectUuid: "p",
    shortId: "SHOP-1",
    title: `Idea ${uuid}`,
    status: "open",
    derivedStatus: "todo",
    badgeHint: "open",
    isContainer: false,
    parentUuid: null,
    labels: [],
    assignee: null,
    elaborationStatus: null,
    elaborationDepth: null,
    reportCount: 0,
    version: 1,
    createdBy: null,
    createdAt: uuid,
    updatedAt: "1",
    depth: 0,
    childUuids: [],
    ...changes,
  }
}

function event(
  entityUuid: string,
  action: LogEvent["action"],
  patch: object,
  projectUuid = "p",
  entityType = "idea",
): LogEvent {
  return logEvent({
    kind: "idea.updated",
    entityType,
    entityUuid,
    projectUuid,
    action,
    patch: { ...patch },
  })
}

const uuids = (all: readonly TreeIdea[] | undefined) => all?.map(({ uuid }) => uuid)

describe("the groups of ideas", () => {
  it("hold every idea that is no theme exactly once, and none is empty", () => {
    const some = fc.uniqueArray(
      fc.record({
        uuid: fc.string({ minLength: 1, maxLength: 4 }),
        derivedStatus: fc.constantFrom(...STANDINGS),
        isContainer: fc.boolean(),
      }),
      { selector: ({ uuid }) => uuid, maxLength: 20 },
    )
    fc.assert(
      fc.property(some, (drawn) => {
        const all = drawn.map(({ uuid, ...changes }) => idea(uuid, changes))
        const groups = groupsOf(all, "")
        expect(
          groups.every(
            (group) =>
              group.ideas.length > 0 && group.ideas.every(({ derivedStatus }) => derivedStatus === group.standing),
          ),
        ).toBe(true)
        expect(groups.flatMap((group) => uuids(group.ideas) ?? []).toSorted()).toEqual(
          all
            .filter(({ isContainer }) => !isContainer)
            .map(({ uuid }) => uuid)
            .toSorted(),
        )
      }),
    )
  })

  it("stand in the order in which a person is asked for", () => {
    const all = [
      idea("a", { derivedStatus: "done" }),
      idea("b"),
      idea("c", { derivedStatus: "in_progress" }),
      idea("d", { derivedStatus: "human_conduct_required" }),
    ]
    expect(groupsOf(all, "").map(({ standing }) => standing)).toEqual([
      "human_conduct_required",
      "in_progress",
      "todo",
      "done",
    ])
  })

  it("keep the order of what changed at the same moment", () => {
    expect(uuids(groupsOf([idea("b"), idea("a"), idea("c", { updatedAt: "2" })], "")[0]?.ideas)).toEqual([
      "c",
      "b",
      "a",
    ])
  })

  it("have a tone and a badge for everything an idea can be", () => {
    expect(Object.keys(STANDING_TONE).toSorted()).toEqual([...STANDINGS].toSorted())
    expect(Object.entries(BADGE_LABEL).every(([badge, key]) => key === `ideas.badge.${badge}`)).toBe(true)
  })
})

describe("the tree of ideas that match", () => {
  const all = [
    idea("root", { title: "House" }),
    idea("branch", { title: "Floors", parentUuid: "root" }),
    idea("leaf", { title: "Warm floors", parentUuid: "branch" }),
    idea("other", { title: "Roof" }),
  ]

  it.each([
    ["", ["root", "branch", "leaf", "other"]],
    ["warm", ["root", "branch", "leaf"]],
    ["FLOORS", ["root", "branch", "leaf"]],
    ["floors warm", ["root", "branch", "leaf"]],
    ["roof", ["other"]],
    ["house roof", []],
    ["  ", ["root", "branch", "leaf", "other"]],
  ])("for %j", (find, kept) => {
    expect(uuids(treeOf(all, find))).toEqual(kept)
  })

  it("ends also where the lineage does not: a ring, or a parent that is not here", () => {
    const ring = [
      idea("a", { title: "needle", parentUuid: "b" }),
      idea("b", { parentUuid: "a" }),
      idea("c", { title: "needle", parentUuid: "elsewhere" }),
    ]
    expect(uuids(treeOf(ring, "needle"))).toEqual(["a", "b", "c"])
  })
})

describe("following the ideas of a project", () => {
  const follow = followIdeas("p")
  const answer: Tree = { ideas: [idea("a"), idea("b")] }

  it("does not touch the answer for what lies elsewhere", () => {
    for (const told of [
      event("x", "updated", { title: "x" }),
      event("x", "deleted", {}),
      event("x", "created", idea("x", { projectUuid: "q" }), "q"),
      event("a", "updated", { title: "x" }, "p", "task"),
    ])
      expect(follow.apply(answer, told)).toBe(answer)
  })

  it("takes over a new title and a new standing in place", () => {
    expect(follow.apply(answer, event("a", "updated", { title: "New", derivedStatus: "done" }))?.ideas).toMatchObject([
      { uuid: "a", title: "New", derivedStatus: "done" },
      { uuid: "b" },
    ])
  })

  it("lets what stood below a deleted idea stand for itself", () => {
    const nested: Tree = { ideas: [idea("a", { childUuids: ["b"] }), idea("b", { parentUuid: "a", depth: 1 })] }
    expect(follow.apply(nested, event("a", "deleted", {}))?.ideas).toMatchObject([{ uuid: "b", depth: 0 }])
  })

  it("keeps a forest whatever happens: each once, below its parent, one step deeper", () => {
    const step = fc.record({
      uuid: fc.constantFrom("a", "b", "c", "d", "e"),
      action: fc.constantFrom("created", "updated", "deleted"),
      parentUuid: fc.constantFrom(null, "a", "b", "c"),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        let tree: Tree = { ideas: [] }
        for (const { uuid, action, parentUuid } of steps) {
          const known = new Map(tree.ideas.map((each) => [each.uuid, each]))
          // The server lets no ring close.
          for (
            let at: string | null | undefined = parentUuid;
            at !== null && at !== undefined;
            at = known.get(at)?.parentUuid
          )
            if (at === uuid) return
          tree =
            follow.apply(
              tree,
              event(
                uuid,
                action as LogEvent["action"],
                action === "created" ? idea(uuid, { parentUuid }) : { parentUuid },
              ),
            ) ?? tree
          const seen = new Map<string, TreeIdea>()
          for (const each of tree.ideas) {
            expect(seen.has(each.uuid)).toBe(false)
            const parent = each.parentUuid === null ? undefined : seen.get(each.parentUuid)
            expect(each.depth).toBe(parent === undefined ? 0 : parent.depth + 1)
            seen.set(each.uuid, each)
          }
        }
      }),
    )
  })
})
