import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Begin, Sql, Tx } from '../db/sql.ts'
import type { Stream } from '../http/route/results.ts'
import type { Origin } from '../http/server/origin.ts'

export interface Exchange {
  req: IncomingMessage
  res: ServerResponse
}

/** The fields of a form by name; of several fields with one name, the first. */
export type FormFields = ReadonlyMap<string, string>

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
  send: (context: { sql: Sql; from: Origin }, uuid: string, what: 'picture' | 'thumbnail') => Promise<Stream>
}
