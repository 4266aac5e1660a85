import { expect, it } from "vitest"
import { forgeIssues, issueTold } from "./forge-issues.ts"

const github = { action: "edited", issue: { number: 7 }, repository: { full_name: "Octo/Shop" } }
const gitlab = {
  object_kind: "issue",
  object_attributes: { iid: 7 },
  project: { path_with_namespace: "octo/shop" },
}

it.each([
  ["an issue at GitHub", "github:octo/shop", github, "7"],
  ["an issue at GitLab", "gitlab:octo/shop", gitlab, "7"],
  [
    "a note on one",
    "gitlab:octo/shop",
    { ...gitlab, object_kind: "note", object_attributes: {}, issue: { iid: 8 } },
    "8",
  ],
  ["a pull request", "github:octo/shop", { ...github, issue: { number: 7, pull_request: {} } }, undefined],
  ["a merge request", "gitlab:octo/shop", { ...gitlab, object_kind: "merge_request" }, undefined],
  ["a note on a merge request", "gitlab:octo/shop", { ...gitlab, object_kind: "note", merge_request: {} }, undefined],
  ["another repository", "github:octo/other", github, undefined],
  ["the other forge", "gitlab:octo/shop", github, undefined],
  ["a ping", "github:octo/shop", { zen: "…", repository: { full_name: "octo/shop" } }, undefined],
])("a webhook that tells of %s", (_, origin, body, issue) => {
  expect(issueTold(origin, body)).toBe(issue)
})

it("sends GitLab no line that it would carry out", () => {
  const { harmless } = forgeIssues("gitlab:octo/shop", async () => undefined)
  expect(harmless("Done.\n/close\n  /assign @me\na/b")).toBe("Done.\n\\/close\n  \\/assign @me\na/b")
})
