import { projectSettings } from "@chorus/contracts"
import { lock } from "@chorus/store"
import { operation } from "../../operation.ts"
import { settingsOfProject } from "../task-work/settings.ts"

export const getProjectSettings = operation(projectSettings.getProjectSettings, ({ db }, { projectUuid }) =>
  settingsOfProject(db, projectUuid),
)

export const updateProjectSettings = operation(
  projectSettings.updateProjectSettings,
  async ({ db, engine, now, emit }, { projectUuid, ...changes }) => {
    await lock({ db, engine }, `project:${projectUuid}`)
    const { settings } = await db
      .selectFrom("projects")
      .select("settings")
      .where("uuid", "=", projectUuid)
      .executeTakeFirstOrThrow()
    const changed = JSON.stringify({ ...(JSON.parse(settings) as object), ...changes })
    await db
      .updateTable("projects")
      .set({ settings: changed, updatedAt: now })
      .where("uuid", "=", projectUuid)
      .execute()
    emit({
      kind: "project.settings_changed",
      entityType: "project",
      entityUuid: projectUuid,
      projectUuid,
      action: "updated",
      patch: { ...changes, updatedAt: now },
    })
    return settingsOfProject(db, projectUuid)
  },
)
