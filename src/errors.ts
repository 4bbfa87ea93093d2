/** An error whose message is a sentence for the operator, who can change what is wrong. */
export class OperatorError extends Error {
  /** What a process exits with that ends by it. */
  readonly exitCode: number = 1
}

/** Whether an error of the system has one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** Whether an error is the disk's, which has no place left to write to. */
export const isDiskFull = (error: unknown) => hasCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS')

/** All that is known of an error that nobody expected, for the log. */
export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

/** What an error says, for a line of the log or a sentence. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
