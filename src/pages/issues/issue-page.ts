import { printIssue } from '../../forge/issues/issue.shape.ts'
import type { StoredIssue } from '../../forge/issues/issue-store.ts'
import { viewOf } from '../../forge/issues/issue-view.ts'
import { peopleIn } from '../../forge/issues/people.ts'
import { html } from '../html.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { conversation, type Shown, whenRead } from './conversation.ts'
import type { IssueContext } from './issue-context.ts'
import { stateBadge } from './state-badge.ts'

/** The page of an issue with its comments, what else happened to it, and the forms that its reader may send. */
export async function issuePage(given: IssueContext, row: StoredIssue, shown: Shown): Promise<string> {
  const context = await whenRead(given, row.id, shown)
  const { caller, sql, from } = context
  const { host } = from
  const issue = printIssue(row, await peopleIn(sql, [row]), viewOf(caller, host))
  const main = html`<h2>${issue.title} <span class="quiet-text">#${issue.number}</span> ${stateBadge(issue)}</h2>
${await conversation(context, row, shown)}`
  const title = `${issue.title} #${issue.number}`
  return repositoryPage({ host, sql, caller, current: 'issues', title, main, script: 'conversation' })
}
