import type { Page } from '../../db/page.ts'
import type { Caller } from '../../forge/auth/caller.ts'
import type { Fields } from '../form.ts'
import type { Html, Piece } from '../html.ts'
import type { FieldDescription } from '../operations/described.ts'
import type { Call } from '../operations/form.ts'
import type { OnRequest } from '../operations/perform.ts'
import type { Blame } from '../operations/refusal.ts'
import type { Params } from './owner.ts'

// What an owner has several of, as a table: the same pages list and change webhooks, variables, keys and others.

/** The owner that a form is about, for the calls of operations. */
export interface At extends OnRequest {
  params: Params
  /** The id of the repository; undefined: it is about another kind of owner. */
  repository: number | undefined
  who: Caller
}

/** What one button of the page does. */
export interface Act {
  /** The operations that it calls. */
  calls: (fields: Fields, at: At) => readonly Call[] | Promise<readonly Call[]>
  /** What the page says then. */
  done: string
  blame?: Blame
}

/** What an owner has several of. */
export interface Noun<Row> {
  /** The path of its page, below the settings of the owner. */
  section: string
  title: string
  word: readonly [one: string, many?: string]
  /** What it is for. */
  about?: Piece
  empty?: Piece
  /** @throws Problem as the operation */
  rows: (at: At, page: number) => Promise<Page<Row>>
  /** Names a row in forms. */
  keyOf: (row: Row) => string | number
  nameOf: (row: Row) => string
  /** How its name is shown; absent: as it is. */
  markOf?: (row: Row) => Html
  /** Where a row leads; absent: nowhere. */
  hrefOf?: (row: Row, address: string) => string
  factsOf: (row: Row) => Piece
  badgesOf?: (row: Row) => readonly string[]
  /** The form that adds one; absent: there is none on the page. */
  added?: { text: string; fields: readonly FieldDescription[]; initial?: Fields }
  /** The form that changes one. */
  changed?: { text: string; fields: readonly FieldDescription[]; valuesOf: (row: Row) => Fields }
  /** The question before one is removed. */
  removed?: {
    text: string
    question: (row: Row) => string
    /** Rows that the operation always keeps have no such form. */
    isKept?: (row: Row) => boolean
  }
  /** More forms for a row. */
  rowForms?: (row: Row, address: string, at: At) => Piece
  /** More of the page, above the list and below it. */
  above?: (at: At, address: string) => Piece | Promise<Piece>
  below?: (at: At, address: string) => Piece | Promise<Piece>
  /** By the action of the form. The key of the row is in `key`. */
  acts: Readonly<Record<string, Act>>
  /** What is shown at once in answer to an action: it is not said twice. */
  shown?: Readonly<Record<string, (at: At) => Promise<Html>>>
}
