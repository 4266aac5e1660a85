import type { projectsEn } from "./projects.en.ts"

export const projectsZh: Record<keyof typeof projectsEn, string> = {
  "project.name": "名称",
  "project.nameExample": "结账流程改版",
  "project.description": "描述",
  "project.newLead": "项目包含想法、提案、任务和文档。",
  "project.none": "还没有项目",
  "project.noneLead": "想法在项目中变成任务，由智能体领取。",
  "project.ideas": "{count} 个想法",
  "project.openTasks": "{count} 个未完成任务",
  "project.updated": "更新于 {when}",
}
