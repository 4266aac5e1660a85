const TEST =
  /(^|\/)(__tests__|tests?|specs?|e2e)\/|[._-](test|spec)s?\.[a-z]+$|(^|\/)test_[^/]+\.py$|_test\.(go|py|rb)$/i
const SETTINGS =
  /(^|\/)((vitest|vite|jest|playwright|cypress|karma|ava)\.(config|setup|workspace)\.[cm]?[jt]sx?(on)?|jest\.config\.json|\.mocharc(\.\w+)?|conftest\.py|pytest\.ini|tox\.ini|setup\.cfg|noxfile\.py|\.rspec|phpunit(\.dist)?\.xml|nextest\.toml)$/i
const RUNNER =
  /\b(vitest|jest|mocha|ava|jasmine|karma|playwright|cypress|pytest|unittest|tox|nox|rspec|phpunit)\b|\s--test\b|\b(go|cargo|deno|bun|mix|swift|dotnet|mvnw?|gradlew?|rake|make)\s+test\b/

/** Whether a file holds tests, or lies where tests do. */
export function isTestFile(path: string): boolean {
  return TEST.test(path)
}

/** Whether a file says which tests are run, and how. */
export function isTestSettings(path: string): boolean {
  return SETTINGS.test(path)
}

/** Whether a command runs tests that it does not name: it collects them. */
export function collectsTests(command: string): boolean {
  return RUNNER.test(command)
}
