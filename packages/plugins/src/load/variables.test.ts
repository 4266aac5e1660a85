import { expect, test } from "vitest"
import { substitute, substituteDeep, type VariableValues } from "./variables.ts"

const values: VariableValues = {
  pluginRoot: "/p",
  pluginData: "/d",
  projectDir: "/w",
  options: new Map<string, string | number | string[]>([
    ["url", "https://x"],
    ["tok", "s3cret"],
    ["n", 3],
    ["many", ["a", "b"]],
  ]),
  sensitive: new Set(["tok"]),
  env: { HOME: "/h", EMPTY: "" },
}

test("variables and options are put in, what is unknown stays", () => {
  expect(
    substitute(
      "${CLAUDE_PLUGIN_ROOT}/${CLAUDE_PLUGIN_DATA}/${CLAUDE_PROJECT_DIR} ${user_config.n} ${user_config.many} ${user_config.no} ${HOME} ${plugin_root}",
      values,
    ),
  ).toBe("/p//d//w 3 a,b ${user_config.no} ${HOME} ${plugin_root}")
})

test("secrets reach programs, never the model", () => {
  expect(substitute("${user_config.tok}", values)).toBe("s3cret")
  expect(substitute("${user_config.tok}", values, { forModel: true })).toBe("[tok is secret]")
})

test("server configuration takes the environment with defaults", () => {
  expect(
    substituteDeep({ url: "${BASE:-https://d}/x", args: ["${HOME}", "${EMPTY:-e}"], n: 5 }, values, {
      environment: true,
    }),
  ).toEqual({ url: "https://d/x", args: ["/h", "e"], n: 5 })
})

test("a name that every object has is no variable of the environment", () => {
  for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"])
    expect(substitute(`\${${name}}`, values, { environment: true })).toBe(`\${${name}}`)
  expect(substitute("${valueOf:-d}", values, { environment: true })).toBe("d")
})

test("a variable without a value stays as it is written, so that people see what is missing", () => {
  expect(substitute("${NOPE} ${EMPTY} ${} $HOME", values, { environment: true })).toBe("${NOPE} ${EMPTY} ${} $HOME")
})

test("a value is put in as it is: nothing in it is read again", () => {
  const odd = {
    ...values,
    options: new Map([["url", "${HOME} $& $1 ${user_config.n}"]]),
    env: { HOME: "${CLAUDE_PLUGIN_ROOT}" },
  }
  expect(substitute("${user_config.url}", odd, { environment: true })).toBe("${HOME} $& $1 ${user_config.n}")
  expect(substitute("${HOME}", odd, { environment: true })).toBe("${CLAUDE_PLUGIN_ROOT}")
})

test("configuration keeps everything but its texts", () => {
  const config = { a: [1, null, true, { b: "${CLAUDE_PLUGIN_ROOT}" }], c: undefined }
  expect(substituteDeep(config, values)).toEqual({ a: [1, null, true, { b: "/p" }], c: undefined })
  expect(substituteDeep("${CLAUDE_PLUGIN_DATA}", values)).toBe("/d")
})
