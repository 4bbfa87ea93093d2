import type { Begin } from '../../db/sql.ts'
import { printable } from '../../git/http/push-request.ts'
import { type Actor, record, repositoryTarget } from '../audit/audit-trail.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { lockRepository, type RepositoryEdit, updateRepository } from '../repos/repo-store.ts'

/** The options of `git push -o` that change the repository; git and this server ignore all others. */
const columns = { 'repo.private': 'is_private', 'repo.template': 'is_template' } as const

export type PushEdit = Pick<RepositoryEdit, (typeof columns)[keyof typeof columns]>

const isKnown = (name: string): name is keyof typeof columns => Object.hasOwn(columns, name)

/** The changes of options, the last of each name; an option without a value means true. A text refuses the push. */
export function editOf(options: readonly string[]): PushEdit | string {
  const edit: PushEdit = {}
  for (const option of options) {
    const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(option) ?? []
    if (!isKnown(name)) continue
    const flag = value === undefined ? true : flagIn(value)
    if (flag === undefined) return `the push option ${name} is true or false, not ${printable(value ?? '')}`
    edit[columns[name]] = flag
  }
  return edit
}

/** A boolean in the spellings of the original. */
function flagIn(value: string): boolean | undefined {
  if (/^(?:1|t|T|true|True|TRUE)$/.test(value)) return true
  return /^(?:0|f|F|false|False|FALSE)$/.test(value) ? false : undefined
}

export const isEdit = (edit: PushEdit) => Object.keys(edit).length > 0

/** Why a caller may not change the repository; undefined if the caller may. */
export const refusalOfEdit = (edit: PushEdit, level: number) =>
  isEdit(edit) && level < LEVELS.admin
    ? 'only administrators of the repository may set repo.private and repo.template'
    : undefined

/** Changes the repository before its refs move, so that no commit of the push is public if the push makes it private. */
export async function applyEdit(
  {
    begin,
    actor,
    repository,
    owner,
  }: { begin: Begin; actor: Actor; repository: number; owner: { name: string } },
  edit: PushEdit,
): Promise<void> {
  await begin(async (tx) => {
    const old = await lockRepository(tx, repository)
    if (!old) return
    const target = repositoryTarget(await updateRepository(tx, old, edit), owner)
    await record(tx, actor, { action: 'repository.edited', target, details: { ...edit } })
  })
}
