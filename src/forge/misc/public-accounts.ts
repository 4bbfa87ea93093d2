import type { Sql } from '../../db/sql.ts'
import type { RenderRequest } from '../../render/renderer.ts'
import { mentionedNames } from '../../render/renderer.ts'
import { publicNames } from '../users/user-store.ts'

/** The public accounts that a text mentions; the plain mode has no mentions. */
export async function publicAccounts(
  sql: Sql,
  { text, mode, wiki }: Pick<RenderRequest, 'text' | 'mode' | 'wiki'>,
): Promise<string[]> {
  if (!wiki && (mode === '' || mode === 'markdown')) return []
  const names = mentionedNames(text)
  return names.length === 0 ? [] : publicNames(sql, names)
}
