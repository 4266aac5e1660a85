import { asForest } from "@chorus/core"
import type { ideas, OutputOf } from "@chorus/contracts"
import type { Tone } from "../design/index.ts"
import type { TextKey } from "../i18n/language.ts"
import { changesLabels } from "../items/label-names.ts"
import { followRows } from "../live/follow.ts"
import type { Follow } from "../live/live-store.ts"

export type Tree = OutputOf<typeof ideas.getIdeaTree>
export type TreeIdea = Tree["ideas"][number]

export const STANDING_TONE: Record<ideas.DerivedStatus, Tone> = {
  todo: "todo",
  in_progress: "progress",
  human_conduct_required: "waiting",
  done: "done",
}

/** What waits for a person first, what is over last. */
export const STANDINGS = [
  "human_conduct_required",
  "in_progress",
  "todo",
  "done",
] as const satisfies readonly ideas.DerivedStatus[]

export const BADGE_LABEL: Record<ideas.IdeaBadge, TextKey> = {
  open: "ideas.badge.open",
  researching: "ideas.badge.researching",
  answer_questions: "ideas.badge.answer_questions",
  planning: "ideas.badge.planning",
  review_proposal: "ideas.badge.review_proposal",
  building: "ideas.badge.building",
  verify_work: "ideas.badge.verify_work",
  done: "ideas.badge.done",
}

export interface StandingGroup {
  readonly standing: ideas.DerivedStatus
  readonly ideas: readonly TreeIdea[]
}

/** Ideas that match, by where they stand; groups without any are left out. Themes are kept only in the tree. */
export function groupsOf(all: readonly TreeIdea[], find: string): StandingGroup[] {
  const fitting = matching(all, find).filter(({ isContainer }) => !isContainer)
  return STANDINGS.map((standing) => ({
    standing,
    ideas: fitting.filter((idea) => idea.derivedStatus === standing).sort(byNews),
  })).filter((group) => group.ideas.length > 0)
}

/** Ideas that match and everything above them, in the order of the tree. */
export function treeOf(all: readonly TreeIdea[], find: string): TreeIdea[] {
  const byUuid = new Map(all.map((idea) => [idea.uuid, idea]))
  const kept = new Set<string>()
  for (const idea of matching(all, find)) {
    for (
      let at: TreeIdea | undefined = idea;
      at !== undefined && !kept.has(at.uuid);
      at = at.parentUuid === null ? undefined : byUuid.get(at.parentUuid)
    )
      kept.add(at.uuid)
  }
  return all.filter(({ uuid }) => kept.has(uuid))
}

/** Keeps a project's ideas in step with the log; the shape is worked out again here when something changes. */
export function followIdeas(projectUuid: string): Follow<Tree> {
  const rows = followRows<Tree>({
    entity: "idea",
    rows: "ideas",
    append: true,
    belongs: (idea) => idea.projectUuid === projectUuid,
    extra: { depth: 0, childUuids: [] },
  })
  return {
    apply(answer, event) {
      if (event.projectUuid === projectUuid && changesLabels(event)) return undefined
      const next = rows.apply(answer, event)
      return next === undefined || next === answer ? next : { ideas: asForest(next.ideas) }
    },
  }
}

function matching(all: readonly TreeIdea[], find: string): TreeIdea[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean)
  return all.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
}

function byNews(a: TreeIdea, b: TreeIdea): number {
  return a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0
}
