import { allRows, firstRow } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'
import { mayRead, unitOfIssue } from '../permissions/access-level-store.ts'

/** An issue or pull request as a mail names it. */
interface NewsOf {
  owner: string
  repository: string
  number: number
  is_pull: boolean
  title: string
  body: string
  created_at: string
  /** The name of its author; null: the account was deleted. */
  poster: string | null
}

/** The issue of a mail, if its recipient may read it now. */
export const issueForMail = (sql: Sql, { issue, account }: { issue: number; account: number }) =>
  firstRow(sql<NewsOf[]>`
    select owner.name as owner, repository.name as repository, issue.number, issue.is_pull, issue.title, issue.body,
      issue.created_at, poster.name as poster
    from forge.issue
    join forge.repository on repository.id = issue.repository_id
    join forge.account as owner on owner.id = repository.owner_id
    join forge.account on account.id = ${account}
    left join forge.account as poster on poster.id = issue.poster_id
    where issue.id = ${issue} and account.is_active and not account.prohibit_login and ${mayRead(sql, unitOfIssue(sql))}`)

/** The newest comments on an issue since a time, at most ten, the oldest first. */
export const commentsForMail = (sql: Sql, issue: number, since: Date) =>
  allRows(sql<{ poster: string | null; body: string }[]>`
    select poster.name as poster, comment.body
    from (
      select id, poster_id, body
      from forge.issue_comment
      where issue_id = ${issue} and created_at >= ${since} and body <> ''
      order by id desc
      limit 10
    ) as comment
    left join forge.account as poster on poster.id = comment.poster_id
    order by comment.id`)

/** A release as a mail names it. */
interface NewRelease {
  owner: string
  repository: string
  tag_name: string
  name: string
  body: string
  /** The name of its author; null: the account was deleted. */
  author: string | null
}

/** The release of a mail, if its recipient may see it now. */
export const releaseForMail = (sql: Sql, { release, account }: { release: number; account: number }) =>
  firstRow(sql<NewRelease[]>`
    select owner.name as owner, repository.name as repository, release.tag_name, release.name, release.body,
      author.name as author
    from forge.release
    join forge.repository on repository.id = release.repository_id
    join forge.account as owner on owner.id = repository.owner_id
    join forge.account on account.id = ${account}
    left join forge.account as author on author.id = release.author_id
    where release.id = ${release} and not release.is_draft and account.is_active and not account.prohibit_login
      and ${mayRead(sql, 'repo.releases')}`)
