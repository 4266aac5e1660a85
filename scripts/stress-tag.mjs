/** A test that says again, in another place or more often, what one of every day says; `npm run stress` runs them all. */
export const STRESS_TAG = { name: "stress", description: "runs under npm run stress only" }

/** What Vitest is to leave out. */
export const withoutStress = process.env.CHORUS_STRESS === "1" ? [] : ["!stress"]
