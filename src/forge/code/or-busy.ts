import { busy, unavailable } from '../../http/route/problem.ts'
import { LimitError } from '../../limiter/limiter.ts'

/** Maps the errors of a limiter, for `catch`. @throws Problem 503 with this message; any other error as it is */
export const orBusy =
  (message: string) =>
  (error: unknown): never => {
    if (!(error instanceof LimitError)) throw error
    // A client that has left while it waited is no overload.
    throw error.reason === 'cancelled' ? unavailable(message, undefined, 5) : busy(message, error.message, 5)
  }
