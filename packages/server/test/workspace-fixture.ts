import { randomUUID } from "node:crypto"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Permission, Preset, Role } from "@chorus/contracts"
import { agentPermissions } from "@chorus/core"
import { openSqliteStore, type Store } from "@chorus/store"
import { openPostgresStore } from "@chorus/store/postgres"
import { temporaryDirectory } from "@chorus/testing"
import { sharedDatabase } from "@chorus/testing/shared-database"
import { type Actor, operations, Registry } from "../src/index.ts"
import { personActor } from "../src/sign-in/person-actor.ts"

export type EngineName = "sqlite" | "postgres"

export interface Workspace {
  readonly store: Store
  readonly registry: Registry
  readonly workspaceUuid: string
  readonly owner: Actor
  readonly member: Actor
  readonly viewer: Actor
  readonly pm: Actor
  readonly developer: Actor
  /** A second developer agent, for whoever must lose. */
  readonly rival: Actor
  readonly admin: Actor
  readonly project: string
  readonly otherProject: string
  /** The owner of another workspace in the same store. */
  readonly stranger: Actor
  readonly strangersProject: string
  /** Moves the clock that operations see. */
  readonly clock: Clock
  call<T = Record<string, unknown>>(actor: Actor | undefined, name: string, input?: object): Promise<T>
  /** One more agent of the owner; leave out presets for a developer. */
  agent(name: string, options?: AgentOptions): Promise<Actor>
  close(): Promise<void>
}

export interface AgentOptions {
  readonly presets?: Preset[]
  readonly permissions?: Permission[]
  readonly projectUuids?: string[]
  readonly owner?: Actor
}

export interface Clock {
  now(): Date
  advance(milliseconds: number): void
}

/** A real registry on a real store, with people, agents and two projects; every answer is checked against its schema. */
export async function openWorkspace({
  engine = "sqlite",
  store: given,
}: { engine?: EngineName; store?: Store } = {}): Promise<Workspace> {
  const directory = temporaryDirectory("chorus-workspace-")
  const store =
    given ??
    (engine === "sqlite"
      ? await openSqliteStore(join(directory.path, "chorus.sqlite"))
      : await openPostgresStore(await sharedDatabase()))
  const clock = steppingClock()
  const registry = new Registry(store, operations, { checkOutput: true, now: () => clock.now() })
  const call = async <T>(actor: Actor | undefined, name: string, input: object = {}) =>
    (await registry.execute(name, input, { actor, requestId: randomUUID() })) as T

  const workspaceUuid = await addWorkspace(store, "Chorus")
  const owner = await addPerson(store, workspaceUuid, "Olive", "owner")
  const agent = async (name: string, options: AgentOptions = {}): Promise<Actor> => {
    const { presets = ["developer"], permissions = [], projectUuids, owner: person = owner } = options
    const row = await call<{ uuid: string }>(person, "chorus_create_agent", {
      name,
      presets,
      permissions,
      ...(projectUuids && { projectUuids }),
    })
    return {
      type: "agent",
      uuid: row.uuid,
      name,
      workspaceUuid: person.workspaceUuid,
      role: null,
      permissions: agentPermissions(presets, permissions),
      projectUuids: projectUuids === undefined ? null : new Set(projectUuids),
      ownerUuid: person.uuid,
    }
  }
  const stranger = await addPerson(store, await addWorkspace(store, "Elsewhere"), "Stan", "owner")
  const projectNamed = async (actor: Actor, name: string) =>
    (await call<{ uuid: string }>(actor, "chorus_admin_create_project", { name })).uuid
  return {
    store,
    registry,
    workspaceUuid,
    owner,
    member: await addPerson(store, workspaceUuid, "Mia", "member"),
    viewer: await addPerson(store, workspaceUuid, "Vic", "viewer"),
    pm: await agent("Petra", { presets: ["pm"] }),
    developer: await agent("Dev", { presets: ["developer"] }),
    rival: await agent("Rival", { presets: ["developer"] }),
    admin: await agent("Ada", { presets: ["admin"] }),
    project: await projectNamed(owner, "First"),
    otherProject: await projectNamed(owner, "Second"),
    stranger,
    strangersProject: await projectNamed(stranger, "Theirs"),
    clock,
    call,
    agent,
    close: async () => {
      await store.close()
      await directory.remove()
    },
  }
}

/**
 * An embedded store whose files lie in memory where the machine offers that, so that no test waits for a busy disk. They lose their
 * names as soon as they are open, so that nothing is left behind however the tests end.
 */
export async function openMemoryStore(): Promise<Store> {
  const directory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "chorus-store-"))
  const store = await openSqliteStore(join(directory, "chorus.sqlite"))
  // Both connections have all their files open once they have read.
  await store.db.selectFrom("workspaces").select("uuid").execute()
  rmSync(directory, { recursive: true })
  return store
}

const MEMORY = "/dev/shm"

/** Each reading is a millisecond later than the one before, so that rows written one after the other sort that way. */
function steppingClock(): Clock {
  let time = Date.parse("2026-03-02T09:00:00.000Z")
  return {
    now: () => new Date(time++),
    advance: (milliseconds) => {
      time += milliseconds
    },
  }
}

async function addWorkspace(store: Store, name: string): Promise<string> {
  const uuid = randomUUID()
  await store.write(({ db }) =>
    db
      .insertInto("workspaces")
      .values({ uuid, name, lastEvent: 0, settings: "{}", createdAt: new Date().toISOString() })
      .execute(),
  )
  return uuid
}

async function addPerson(store: Store, workspaceUuid: string, name: string, role: Role): Promise<Actor> {
  const uuid = randomUUID()
  const person = {
    uuid,
    workspaceUuid,
    name,
    role,
    email: `${name.toLowerCase()}@example.test`,
    passwordHash: null,
    oidcSubject: null,
    createdAt: new Date().toISOString(),
    disabledAt: null,
  }
  await store.write(({ db }) => db.insertInto("users").values(person).execute())
  return personActor(person)
}
