import { activityZh } from "./activity.zh.ts"
import { agentsZh } from "./agents.zh.ts"
import { attentionZh } from "./attention.zh.ts"
import { boardZh } from "./board.zh.ts"
import { changesZh } from "./changes.zh.ts"
import { checksZh } from "./checks.zh.ts"
import { commentsZh } from "./comments.zh.ts"
import { documentsZh } from "./documents.zh.ts"
import type { Dictionary } from "./en.ts"
import { graphZh } from "./graph.zh.ts"
import { ideasZh } from "./ideas.zh.ts"
import { insightsZh } from "./insights.zh.ts"
import { itemsZh } from "./items.zh.ts"
import { landingsZh } from "./landings.zh.ts"
import { markdownZh } from "./markdown.zh.ts"
import { notificationsZh } from "./notifications.zh.ts"
import { officeZh } from "./office.zh.ts"
import { paletteZh } from "./palette.zh.ts"
import { projectsZh } from "./projects.zh.ts"
import { pluginsZh } from "./plugins.zh.ts"
import { proposalsZh } from "./proposals.zh.ts"
import { reasonsZh } from "./reasons.zh.ts"
import { runsZh } from "./runs.zh.ts"
import { saidZh } from "./said.zh.ts"
import { settingsZh } from "./settings.zh.ts"
import { shellZh } from "./shell.zh.ts"
import { tasksZh } from "./tasks.zh.ts"
import { teamsZh } from "./teams.zh.ts"
import { welcomeZh } from "./welcome.zh.ts"
import type { Written } from "./written.ts"
import { writingZh } from "./writing.zh.ts"

export const zh: Dictionary = {
  ...shellZh,
  ...projectsZh,
  ...boardZh,
  ...itemsZh,
  ...attentionZh,
  ...graphZh,
  ...paletteZh,
  ...notificationsZh,
  ...activityZh,
  ...runsZh,
  ...settingsZh,
  ...welcomeZh,
  ...ideasZh,
  ...proposalsZh,
  ...tasksZh,
  ...changesZh,
  ...landingsZh,
  ...checksZh,
  ...documentsZh,
  ...agentsZh,
  ...teamsZh,
  ...pluginsZh,
  ...officeZh,
  ...insightsZh,
  ...markdownZh,
  ...commentsZh,
  ...writingZh,
}

export const writtenZh: Written = { ...reasonsZh, ...saidZh }

export { refusalsZh } from "./refusals.zh.ts"
