import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { expect, it } from "vitest"
import { containerSteps, onlyStep } from "./container-steps.ts"
import { ROOT } from "./installed-package.ts"

it("the container runs as somebody who is not root, and keeps its data in a volume", () => {
  expect(onlyStep("USER").rest).toBe("node")
  expect(onlyStep("VOLUME").rest).toBe("/data")
  expect(onlyStep("ENV").rest).toContain("CHORUS_DATA=/data")
  expect(containerSteps.findIndex(({ word }) => word === "USER")).toBeGreaterThan(
    containerSteps.findLastIndex(({ word }) => word === "RUN"),
  )
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
  const analyze = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"].find((path) => existsSync(path))
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
