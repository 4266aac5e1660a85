/** What a caller can act on: a stable code, what happened, and what to do next. The same shape at every door. */
export interface ErrorBody {
  code: string
  message: string
  next?: string
  details?: Record<string, unknown>
}

interface ErrorExtras {
  next?: string | undefined
  status?: number | undefined
  details?: Record<string, unknown> | undefined
  cause?: unknown
}

/** The one error class of the product. `status` is the HTTP status; 5xx means the fault is ours. */
export class ChorusError extends Error {
  readonly code: string
  readonly status: number
  readonly next: string | undefined
  readonly details: Record<string, unknown> | undefined

  constructor(code: string, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.name = "ChorusError"
    this.code = code
    this.status = extras.status ?? 400
    this.next = extras.next
    this.details = extras.details
  }

  toBody(): ErrorBody {
    return {
      code: this.code,
      message: this.message,
      ...(this.next === undefined ? {} : { next: this.next }),
      ...(this.details === undefined ? {} : { details: this.details }),
    }
  }
}
