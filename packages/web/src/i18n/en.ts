import { activityEn } from "./activity.en.ts"
import { agentsEn } from "./agents.en.ts"
import { attentionEn } from "./attention.en.ts"
import { boardEn } from "./board.en.ts"
import { changesEn } from "./changes.en.ts"
import { checksEn } from "./checks.en.ts"
import { commentsEn } from "./comments.en.ts"
import { documentsEn } from "./documents.en.ts"
import { graphEn } from "./graph.en.ts"
import { ideasEn } from "./ideas.en.ts"
import { insightsEn } from "./insights.en.ts"
import { itemsEn } from "./items.en.ts"
import { landingsEn } from "./landings.en.ts"
import { markdownEn } from "./markdown.en.ts"
import { notificationsEn } from "./notifications.en.ts"
import { officeEn } from "./office.en.ts"
import { paletteEn } from "./palette.en.ts"
import { projectsEn } from "./projects.en.ts"
import { pluginsEn } from "./plugins.en.ts"
import { proposalsEn } from "./proposals.en.ts"
import { runsEn } from "./runs.en.ts"
import { settingsEn } from "./settings.en.ts"
import { shellEn } from "./shell.en.ts"
import { tasksEn } from "./tasks.en.ts"
import { teamsEn } from "./teams.en.ts"
import { welcomeEn } from "./welcome.en.ts"
import { writingEn } from "./writing.en.ts"

/** English is the source: every other language has exactly these keys. Each area keeps its own texts. */
export const en = {
  ...shellEn,
  ...projectsEn,
  ...boardEn,
  ...itemsEn,
  ...attentionEn,
  ...graphEn,
  ...paletteEn,
  ...notificationsEn,
  ...activityEn,
  ...runsEn,
  ...settingsEn,
  ...welcomeEn,
  ...ideasEn,
  ...proposalsEn,
  ...tasksEn,
  ...changesEn,
  ...landingsEn,
  ...checksEn,
  ...documentsEn,
  ...agentsEn,
  ...teamsEn,
  ...pluginsEn,
  ...officeEn,
  ...insightsEn,
  ...markdownEn,
  ...commentsEn,
  ...writingEn,
} as const

export type TextKey = keyof typeof en
export type Dictionary = Readonly<Record<TextKey, string>>
