import type { Sql } from '../../../db/sql.ts'
import { notFound } from '../../../http/route/problem.ts'
import type { OnSubject } from '../../auth/access.ts'
import { isPackageName } from './names.ts'
import { npmVersions } from './npm-store.ts'
import type { StoredPackage } from './packument.ts'

/** @throws Problem 404 */
export async function packageOf(sql: Sql, { subject }: OnSubject, name: string): Promise<StoredPackage> {
  const versions = isPackageName(name) ? await npmVersions(sql, subject.id, name) : []
  if (versions.length === 0) throw notFound()
  return { name, owner: subject.name, versions }
}
