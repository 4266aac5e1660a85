export interface HeldLock {
  /** Throws LockLost when somebody took the lock over; call it right before the change becomes visible. */
  assertHeld(): void
}

/** The lock was taken over while we were stopped: whatever was read under it may be old, so the work is done again. */
export class LockLost extends Error {}
