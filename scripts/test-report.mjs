// Vitest's reporter for `scripts/test.mjs`: what passed, how long each file took, and each failure with what differed,
// set-up and tear-down included (Vitest's own JSON leaves both out).
import { writeFileSync } from "node:fs"
import { stripVTControlCharacters } from "node:util"

const LINES_OF_A_FAILURE = 40

export default class TestReport {
  onTestRunEnd(modules, unhandled) {
    const report = {
      passed: modules.flatMap((module) => [...module.children.allTests("passed")]).length,
      files: modules.map((module) => ({ file: module.relativeModuleId, took: module.diagnostic().duration })),
      failures: [...modules.flatMap(failuresOf), ...unhandled.map((error) => failure("outside of any test", [error]))],
    }
    writeFileSync(process.env.CHORUS_TEST_REPORT, JSON.stringify(report))
  }
}

function failuresOf(module) {
  const parts = [module, ...module.children.allSuites()].map((part) => [nameOf(part), part.errors()])
  const tests = [...module.children.allTests("failed")].map((test) => [nameOf(test), test.result().errors])
  return [...parts, ...tests].filter(([, errors]) => errors.length > 0).map(([name, errors]) => failure(name, errors))
}

function nameOf(task) {
  const file = task.type === "module" ? task.relativeModuleId : task.module.relativeModuleId
  return task.type === "module" ? file : `${file} > ${task.fullName}`
}

function failure(name, errors) {
  const said = errors.flatMap(({ stack, message, diff }) => [stack ?? message, diff ?? ""])
  const lines = stripVTControlCharacters(said.join("\n"))
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.includes("/node_modules/"))
  return [name, ...lines.slice(0, LINES_OF_A_FAILURE).map((line) => `  ${line}`)].join("\n")
}
