import { projectSettings } from "@chorus/contracts"
import { lock } from "@chorus/store"
import { type Actor, forbidden, operation } from "../../operation.ts"
import { settingsOfProject } from "../task-work/settings.ts"

export const getProjectSettings = operation(projectSettings.getProjectSettings, ({ db }, { projectUuid }) =>
  settingsOfProject(db, projectUuid),
)

export const updateProjectSettings = operation(
  projectSettings.updateProjectSettings,
  async ({ db, engine, actor, now, emit }, { projectUuid, ...changes }) => {
    assertMayLoosen(actor, changes)
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

type Changes = Partial<projectSettings.ProjectSettings>

/** Who may be judged by nobody else is for those to say who run the workspace; anybody may ask for more care. */
function assertMayLoosen(
  { role, name }: Actor,
  changes: { readonly [Name in keyof Changes]: Changes[Name] | undefined },
) {
  const { allowSelfApproval, allowSelfVerify, requireReview, requireTaskReview } = changes
  const loosens = allowSelfApproval || allowSelfVerify || requireReview === false || requireTaskReview === false
  if (!loosens || role === "owner" || role === "admin") return
  throw forbidden(
    `${name} may not let work pass with fewer eyes on it.`,
    "Ask the workspace's owner or an admin to change this setting.",
  )
}
