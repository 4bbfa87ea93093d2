/** An error whose message is a sentence for the operator, who can fix the cause. */
export class OperatorError extends Error {
  /** Exit code of a process that ends with this error. */
  readonly exitCode: number = 1
}

/** Whether it is a system error with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** Whether the disk cannot be written: no space, quota exceeded, file too large, or read-only. */
export const isDiskFull = (error: unknown) => hasCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS')

/** Node's error codes for a certificate that is not trusted, not valid now, or issued to another server. */
const certificateErrors = /CERT|^UNABLE_TO_|^INVALID_CA$/

/** Whether it is a system error about the certificate of a server. */
export const isCertificateError = (error: unknown) =>
  error instanceof Error && 'code' in error && certificateErrors.test(String(error.code))

/** The stack of an unexpected error, for the log. */
export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

/** The message of an error, for a log line or a sentence. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
