import type { Tx } from '../../db/sql.ts'
import { mayRead, unitOfIssue } from '../permissions/access-level-store.ts'
import { mentionedAccounts } from '../watching/mentioned-store.ts'

/** Which accounts are mentioned in which issue. Only this module writes the table. */

/** A text of an issue: its author and the names that it mentions. */
interface MentionSource {
  issue: number
  actor: number
  /** Names of accounts and teams, in lower case. */
  names: readonly string[]
}

/**
 * Stores the accounts that a text mentions: users and bots who can sign in and may read the issue, except the author.
 */
export async function insertMentions(tx: Tx, { issue, actor, names }: MentionSource): Promise<void> {
  if (names.length === 0) return
  await tx`
    insert into forge.issue_mention (issue_id, account_id)
    select issue.id, account.id
    from forge.issue
    join forge.repository on repository.id = issue.repository_id
    join forge.account on account.id in (${mentionedAccounts(tx, names, tx`issue.repository_id`)})
    where issue.id = ${issue} and account.id <> ${actor} and account.kind <> 'organization' and account.is_active
      and not account.prohibit_login and ${mayRead(tx, unitOfIssue(tx))}
    order by account.id
    on conflict on constraint issue_mention_pkey do nothing`
}
