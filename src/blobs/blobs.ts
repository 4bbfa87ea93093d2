import type { Readable } from 'node:stream'
import type { CompleteUpload, OtherDigest, Upload } from './upload.ts'

/**
 * The contents of packages, named by their SHA-256, so that equal contents are stored once: in a folder (`folder.ts`)
 * or in an S3-compatible store (`s3/`). Which of them it is, only `open.ts` knows.
 */
export interface Blobs {
  /** Where the contents are, to complete a sentence: `on the disk`. */
  readonly location: string
  /** Starts an upload, which computes `others` besides the SHA-256. @throws Error of the file system */
  startUpload: (others?: readonly OtherDigest[]) => Promise<Upload>
  /**
   * Does the slow part of placing an upload, outside of the transaction that writes its row; may be repeated. A crash may
   * leave a content without a row.
   * @throws StoreError
   */
  prepare: (upload: CompleteUpload) => Promise<void>
  /**
   * Ensures that a prepared upload is stored durably under its name; may be repeated. Called as the last step before the
   * commit of its row, while the name is locked.
   * @throws ContentLost when a clean-up has removed it since it was prepared
   */
  place: (upload: CompleteUpload) => Promise<void>
  /**
   * Opens a content, or a part of it, which stays readable if the content is removed; undefined if there is none. The
   * caller must read or destroy the stream, which fails before its last bytes when a whole content has another checksum.
   * @throws StoreError
   */
  read: (sha256: string, span?: Span) => Promise<Content | undefined>
  has: (sha256: string) => Promise<boolean>
  /** Removes a content; does nothing if there is none. @throws StoreError */
  remove: (sha256: string) => Promise<void>
  /** Names of all contents, unordered. */
  names: () => AsyncGenerator<string>
  /**
   * Names of the contents that may be removed if they have no row. A store that gets a content before its row leaves out
   * those that were stored after a time.
   */
  settledNames: (before: Date) => AsyncGenerator<string>
  /** Removes unfinished uploads that were last written before a time. */
  tidy: (before: Date) => Promise<void>
  /** Checks that contents can be read, or also written. @throws StoreError that names the fault */
  check: (how: 'read' | 'write') => Promise<void>
  /**
   * Records which database owns the contents, unless the store has a record; resolves with the recorded id. Absent where
   * no other database can reach them.
   * @throws StoreError
   */
  claim?: (id: string) => Promise<string>
  /** The same for one request, whose id is in the log lines about a store. */
  forRequest: (id: string) => Blobs
  /** Closes connections. */
  close: () => void
}

/** The first and the last byte of a part, both inclusive, counted from 0. */
export interface Span {
  readonly first: number
  readonly last: number
  /** Bytes of the whole content, if they are known: the answer of a store must agree. */
  readonly of?: number
}

/** A content that is being read. */
export interface Content {
  /** Bytes that the stream yields. */
  readonly size: number
  readonly stream: Readable
}

/** A content was removed between `prepare` and `place`; the caller prepares it again. */
export class ContentLost extends Error {}

export const isName = (text: string) => /^[0-9a-f]{64}$/.test(text)

/**
 * The path of a content below the root of all: `<first two digits>/<all 64>`.
 * @throws RangeError for a text that is not a SHA-256
 */
export function pathOfName(sha256: string): string {
  if (!isName(sha256)) throw new RangeError(`${sha256} is not a SHA-256`)
  return `${sha256.slice(0, 2)}/${sha256}`
}
