import { firstRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'

/** Size and media type of a picture that an account or a repository has; undefined for any other content. */
export const avatarNamed = (sql: Sql, sha256: string) =>
  firstRow(sql<{ size: number; type: string }[]>`
    select blob.size, avatar.type
    from (
      select avatar_type as type
      from forge.account
      where avatar = ${sha256}
      union all
      select avatar_type
      from forge.repository
      where avatar = ${sha256} and state <> 'removing'
      limit 1
    ) as avatar
    join forge.package_blob as blob on blob.sha256 = ${sha256}`)

/** The picture of a repository, locked until the transaction ends; undefined if it has none. */
export const lockAvatarOf = (tx: Tx, repository: number) =>
  firstRow(tx<{ sha256: string; type: string }[]>`
    select avatar as sha256, avatar_type as type
    from forge.repository
    where id = ${repository} and avatar is not null
    for share`)
