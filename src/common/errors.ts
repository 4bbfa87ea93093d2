/** An error whose message is a sentence for the operator, who can fix the cause. */
export class OperatorError extends Error {
  /** Exit code of a process that ends with this error. */
  readonly exitCode: number = 1
  /** Further lines, such as one for each file. */
  readonly details: readonly string[] = []
}

/** The code of an error of the system or a library; undefined for any other error. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined

/** Whether an error has one of these codes. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  codes.includes(codeOf(error) ?? '')

/** Whether the disk cannot be written: no space, quota exceeded, file too large, or read-only. */
export const isDiskFull = (error: unknown) => hasCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS')

/** Node's error codes for a certificate that is not trusted, not valid now, or issued to another server. */
const certificateErrors = /CERT|^UNABLE_TO_|^INVALID_CA$/

/** Whether it is a system error about the certificate of a server. */
export const isCertificateError = (error: unknown) => certificateErrors.test(codeOf(error) ?? '')

/** An error that was thrown: what is thrown may be any value. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown))

/** The stack of an unexpected error, for the log. */
export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

/** The message of an error, for a log line or a sentence. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
