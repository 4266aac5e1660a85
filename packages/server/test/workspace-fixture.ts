import { randomUUID } from "node:crypto"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
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
  if (given !== undefined) return workspaceOn(given, await furnish(given))
  const { copy, furniture } = await (originals[engine] ??= makeOriginal(engine))
  return workspaceOn(await copy(), structuredClone(furniture))
}

type Named =
  | "workspaceUuid"
  | "owner"
  | "member"
  | "viewer"
  | "pm"
  | "developer"
  | "rival"
  | "admin"
  | "project"
  | "otherProject"
  | "stranger"
  | "strangersProject"

interface Furniture extends Pick<Workspace, Named> {
  /** What the clock said when all of it was there. */
  readonly time: number
}

interface Original {
  readonly furniture: Furniture
  copy(): Promise<Store>
}

/** To make a store with all that takes thirty times as long as to copy one, so each process makes it once. */
const originals: Partial<Record<EngineName, Promise<Original>>> = {}

async function makeOriginal(engine: EngineName): Promise<Original> {
  if (engine === "postgres") {
    const url = await sharedDatabase()
    const furniture = await furnishAndClose(await openPostgresStore(url))
    return { furniture, copy: async () => openPostgresStore(await sharedDatabase(url)) }
  }
  const directory = temporaryDirectory("chorus-original-")
  const path = join(directory.path, "chorus.sqlite")
  const furniture = await furnishAndClose(await openSqliteStore(path))
  const bytes = readFileSync(path)
  await directory.remove()
  return { furniture, copy: () => openMemoryStore(bytes) }
}

async function furnishAndClose(store: Store): Promise<Furniture> {
  const furniture = await furnish(store)
  await store.close()
  return furniture
}

async function furnish(store: Store): Promise<Furniture> {
  const { clock, call } = registryOn(store, Date.parse("2026-03-02T09:00:00.000Z"))
  const workspaceUuid = await addWorkspace(store, "Chorus")
  const owner = await addPerson(store, workspaceUuid, "Olive", "owner")
  const stranger = await addPerson(store, await addWorkspace(store, "Elsewhere"), "Stan", "owner")
  const agent = (name: string, preset: Preset) => addAgent(call, name, { presets: [preset], owner })
  const projectNamed = async (actor: Actor, name: string) =>
    (await call<{ uuid: string }>(actor, "chorus_admin_create_project", { name })).uuid
  return {
    workspaceUuid,
    owner,
    member: await addPerson(store, workspaceUuid, "Mia", "member"),
    viewer: await addPerson(store, workspaceUuid, "Vic", "viewer"),
    pm: await agent("Petra", "pm"),
    developer: await agent("Dev", "developer"),
    rival: await agent("Rival", "developer"),
    admin: await agent("Ada", "admin"),
    project: await projectNamed(owner, "First"),
    otherProject: await projectNamed(owner, "Second"),
    stranger,
    strangersProject: await projectNamed(stranger, "Theirs"),
    time: clock.now().getTime(),
  }
}

function workspaceOn(store: Store, { time, ...furniture }: Furniture): Workspace {
  const registered = registryOn(store, time)
  return {
    ...furniture,
    ...registered,
    store,
    agent: (name, options = {}) => addAgent(registered.call, name, { owner: furniture.owner, ...options }),
    close: () => store.close(),
  }
}

function registryOn(store: Store, time: number): Pick<Workspace, "registry" | "clock" | "call"> {
  const clock = steppingClock(time)
  const registry = new Registry(store, operations, { checkOutput: true, now: () => clock.now() })
  const call = async <T>(actor: Actor | undefined, name: string, input: object = {}) =>
    (await registry.execute(name, input, { actor, requestId: randomUUID() })) as T
  return { registry, clock, call }
}

async function addAgent(
  call: Workspace["call"],
  name: string,
  { presets = ["developer"], permissions = [], projectUuids, owner }: AgentOptions & { readonly owner: Actor },
): Promise<Actor> {
  const row = await call<{ uuid: string }>(owner, "chorus_create_agent", {
    name,
    presets,
    permissions,
    ...(projectUuids && { projectUuids }),
  })
  return {
    type: "agent",
    uuid: row.uuid,
    name,
    workspaceUuid: owner.workspaceUuid,
    role: null,
    permissions: agentPermissions(presets, permissions),
    projectUuids: projectUuids === undefined ? null : new Set(projectUuids),
    ownerUuid: owner.uuid,
  }
}

/**
 * An embedded store, new or a copy, whose files lie in memory where the machine offers that, so that no test waits for a
 * busy disk. They lose their names as soon as they are open, so that nothing is left behind however the tests end.
 */
export async function openMemoryStore(copyOf?: Buffer): Promise<Store> {
  const directory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "chorus-store-"))
  const path = join(directory, "chorus.sqlite")
  if (copyOf !== undefined) writeFileSync(path, copyOf)
  const store = await openSqliteStore(path)
  // Both connections have all their files open once they have read.
  await store.db.selectFrom("workspaces").select("uuid").execute()
  rmSync(directory, { recursive: true })
  return store
}

const MEMORY = "/dev/shm"

/** Each reading is a millisecond later than the one before, so that rows written one after the other sort that way. */
function steppingClock(from: number): Clock {
  let time = from
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
