/** Sees every call of an operation, whichever door it came through. */
export interface Observer {
  around<T>(operation: string, requestId: string, work: () => Promise<T>): Promise<T>
}

/** Several observers as one; the first is outermost. */
export function observers(...all: readonly Observer[]): Observer {
  return {
    around: (operation, requestId, work) =>
      all.reduceRight((inner, observer) => () => observer.around(operation, requestId, inner), work)(),
  }
}
