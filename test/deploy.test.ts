import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ADAPTERS } from "@chorus/runs"
import { temporaryDirectory } from "@chorus/testing"
import { expect, it } from "vitest"
import { containerSteps, onlyStep, stepsOf } from "./container-steps.ts"
import { ROOT } from "./installed-package.ts"

const analyze = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"].find((path) => existsSync(path))

it("the container runs as somebody who is not root, and keeps its data in a volume", () => {
  expect(onlyStep("USER").rest).toBe("node")
  expect(onlyStep("VOLUME").rest).toBe("/data")
  expect(onlyStep("ENV").rest).toContain("CHORUS_DATA=/data")
  expect(containerSteps.findIndex(({ word }) => word === "USER")).toBeGreaterThan(
    containerSteps.findLastIndex(({ word }) => word === "RUN"),
  )
})

it("the container of a runner adds git and programs to the server's, and runs as somebody who is not root", () => {
  const steps = stepsOf("deploy/Containerfile.runner")
  expect(steps[0]).toEqual({ word: "FROM", rest: "chorus" })
  expect(steps.findLast(({ word }) => word === "USER")?.rest).toBe("node")
  expect(steps.at(-1)).toEqual({ word: "CMD", rest: '["chorus", "companion"]' })
  const runs = steps.flatMap(({ word, rest }) => (word === "RUN" ? [rest] : []))
  expect(runs).toContain(`chorus runner setup ${Object.keys(ADAPTERS).join(" ")}`)
  expect(runs.some((run) => /^apt-get .* git /.test(run))).toBe(true)
})

it("systemd takes the unit of a runner, which sees the home of its person and nothing of other accounts' rights", () => {
  const unit = readFileSync(join(ROOT, "deploy", "chorus-runner.service"), "utf8")
  expect(unit).toContain("ExecStart=/usr/local/bin/chorus companion\n")
  expect(unit).not.toMatch(/^(User|DynamicUser|ProtectHome)=/m)
  if (analyze === undefined) return
  const folder = temporaryDirectory("chorus-unit-")
  const path = join(folder.path, "chorus-runner.service")
  const env = { ...process.env, XDG_RUNTIME_DIR: folder.path }
  writeFileSync(path, unit.replace("/usr/local/bin/chorus", "/bin/true"))
  expect(execFileSync(analyze, ["--user", "verify", path], { encoding: "utf8", env })).toBe("")
})

it("systemd takes the unit, for one server and for several, and finds little that it could do harm with", () => {
  const unit = readFileSync(join(ROOT, "deploy", "chorus.service"), "utf8")
  for (const line of [
    "DynamicUser=yes",
    "NoNewPrivileges=yes",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "CapabilityBoundingSet=",
    "ExecStart=/usr/local/bin/chorus start",
  ])
    expect(unit.split("\n")).toContain(line)
  if (analyze === undefined) return
  const folder = temporaryDirectory("chorus-unit-")
  for (const [name, asked] of [
    ["chorus.service", "chorus.service"],
    ["chorus@.service", "chorus@8637.service"],
  ] as const) {
    writeFileSync(join(folder.path, name), unit.replace("/usr/local/bin/chorus", "/bin/true"))
    expect(execFileSync(analyze, ["verify", join(folder.path, asked)], { encoding: "utf8" })).toBe("")
  }
})
