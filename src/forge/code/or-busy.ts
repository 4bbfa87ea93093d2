import { busy } from '../../http/route/problem.ts'
import { LimitError } from '../../limiter/limiter.ts'

/** Maps the errors of a limiter, for `catch`. @throws Problem 503 with this message; any other error as it is */
export const orBusy =
  (message: string) =>
  (error: unknown): never => {
    throw error instanceof LimitError ? busy(message, error.message, 5) : error
  }
