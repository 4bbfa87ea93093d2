import { allRows } from '../../db/rows.ts'
import type { Sql } from '../../db/sql.ts'
import { mayRead, unitOfIssue } from '../permissions/access-level-store.ts'
import { mentionedAccounts } from './mentioned-store.ts'
import { type IssueActivity, receivers } from './notification-store.ts'

/**
 * Who gets a mail about an activity on an issue: those who are notified and want mails of it. Assignees and reviewers
 * count as mentioned; who acts gets one only if mails of one's own acts are wanted.
 */
export function mailRecipients(sql: Sql, activity: IssueActivity) {
  const { issue, actor, names, accounts } = activity
  const concerned = receivers(sql, { ...activity, accounts: [...accounts, actor] })
  return allRows(sql<{ id: number; email: string }[]>`
    with issue as (
      select id, repository_id, poster_id, is_pull
      from forge.issue
      where id = ${issue}
    ),
    receiver (id) as (${concerned.reduce((left, right) => sql`${left} union ${right}`)}),
    mentioned (id) as (
      ${mentionedAccounts(sql, names, sql`(select repository_id from issue)`)}
      union
      select id from unnest(${[...accounts]}::bigint[]) as id
    )
    select account.id, account.email
    from receiver
    join forge.account on account.id = receiver.id
    cross join issue
    join forge.repository on repository.id = issue.repository_id
    left join forge.mail_preference on mail_preference.account_id = account.id
    where account.kind = 'person' and account.is_active and not account.prohibit_login and repository.state = 'ready'
      and case coalesce(mail_preference.preference, 'enabled')
        when 'andyourown' then true
        when 'enabled' then account.id <> ${actor}
        when 'onmention' then account.id <> ${actor} and account.id in (select id from mentioned)
        else false
      end
      and ${mayRead(sql, unitOfIssue(sql))}
    order by account.id`)
}

/**
 * Who gets a mail about a new release: those who watch the repository, may see its releases and want mails of all
 * notifications. Who has made the release gets none.
 */
export const releaseRecipients = (sql: Sql, repository: number, actor: number) =>
  allRows(sql<{ id: number; email: string }[]>`
    select account.id, account.email
    from forge.repository_watch as watch
    join forge.account on account.id = watch.account_id
    join forge.repository on repository.id = watch.repository_id
    left join forge.mail_preference on mail_preference.account_id = account.id
    where watch.repository_id = ${repository} and account.id <> ${actor}
      and account.kind = 'person' and account.is_active and not account.prohibit_login and repository.state = 'ready'
      and coalesce(mail_preference.preference, 'enabled') in ('enabled', 'andyourown')
      and ${mayRead(sql, 'repo.releases')}
    order by account.id`)
