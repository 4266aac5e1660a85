/** Secrets that every server on this store must have alike. */
export interface SharedSecretsTable {
  name: string
  value: string
}

/** A sign-in that was tried and has not succeeded, counted against where it came from or whom it was for. */
export interface SignInAttemptsTable {
  uuid: string
  counter: string
  key: string
  at: string
}

/** How far a time has come by which the servers on this store judge something. */
export interface ClocksTable {
  name: string
  at: string
}
