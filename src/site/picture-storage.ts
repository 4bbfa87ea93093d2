import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CompleteUpload } from '../blobs/upload.ts'
import type { Begin, Sql, Tx } from '../db/sql.ts'
import type { Stream } from '../http/route/results.ts'
import type { Origin } from '../http/server/origin.ts'

export interface Exchange {
  req: IncomingMessage
  res: ServerResponse
}

/** The fields of a form by name; of several fields with one name, the first. */
export type FormFields = ReadonlyMap<string, string>

/** A picture that has arrived, before its rows are written. */
export interface ArrivedPicture {
  /** The name of its file. */
  name: string
  uuid: string
  /** The extension of its type. */
  extension: string
  type: string
  content: CompleteUpload
}

/** Stores pictures (`forge/site-pictures.ts`). */
export interface PictureStorage {
  receive: <Draft, Row>(
    context: { begin: Begin; from: Origin },
    exchange: Exchange,
    work: {
      watch?: (fields: FormFields) => void
      check: (fields: FormFields) => Promise<Draft>
      write: (
        tx: Tx,
        draft: Draft,
        picture: { uuid: string; sha256: string; extension: string },
      ) => Promise<Row>
    },
  ) => Promise<Row>
  /** Makes pictures of files that have arrived, without their metadata; `work` inserts their rows. */
  take: <Result>(
    from: Origin,
    files: readonly { name: string; content: CompleteUpload }[],
    work: (pictures: readonly ArrivedPicture[]) => Promise<Result>,
  ) => Promise<Result>
  /** Inserts the rows of pictures; `write`: those that refer to one. */
  insert: (
    tx: Tx,
    from: Origin,
    pictures: readonly ArrivedPicture[],
    write: (picture: ArrivedPicture) => Promise<void>,
  ) => Promise<void>
  send: (context: { sql: Sql; from: Origin }, uuid: string, what: 'picture' | 'thumbnail') => Promise<Stream>
}
