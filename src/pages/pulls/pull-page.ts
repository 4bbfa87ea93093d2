import type { StoredPull } from '../../forge/pulls/pull-store.ts'
import { gitValue, openCode } from '../../forge/repos/code.ts'
import { newestRefs } from '../../git/repository/cache/newest-refs.ts'
import { buttonForm, choice, opened, opener, tick } from '../form.ts'
import { type Html, html } from '../html.ts'
import { conversation, type Shown, whenRead } from '../issues/conversation.ts'
import { addressesOf, type IssueContext } from '../issues/issue-context.ts'
import { mayEdit, rightsOn } from '../issues/rights.ts'
import { card } from '../layout.ts'
import { programLines } from '../program-lines.ts'
import { pullPage, type ShownPull, shownPull } from './frame.ts'
import { mergeBox } from './merge-box.ts'
import { reviewTexts } from './review-texts.ts'
import { reviewersSection } from './reviewers.ts'

/** How many branches the form offers that chooses another base. */
const maxBranches = 100

/** The page of a pull request: what was said and done, whether it may be merged, and forms. @throws Problem 404, 503 */
export async function conversationPage(given: IssueContext, row: StoredPull, shown: Shown): Promise<string> {
  const context = await whenRead(given, row.id, shown)
  const pull = await shownPull(context, row)
  const main = await conversation(context, row, shown, {
    textsOf: (entries) => reviewTexts(context, row, entries),
    decision: await mergeBox(context, pull, shown.values ?? {}),
    version: `${row.review_comments} ${pull.pull.mergeable}`,
    facts: html`${await reviewersSection(context, pull)}${await proposalSection(context, pull)}${tryIt(pull)}`,
  })
  return pullPage(context, pull, { current: '', main, script: 'conversation' })
}

/** How to have its commits in a clone. */
const tryIt = ({ pull: { number, base } }: ShownPull): Html | undefined =>
  base.repo
    ? card(
        'try',
        'Try it',
      )`${programLines('fetch a pull request', 'In a clone of the repository:', { clone: base.repo.clone_url, number })}`
    : undefined

/** The forms that change what is proposed. */
async function proposalSection(context: IssueContext, { row, pull }: ShownPull): Promise<Html | undefined> {
  const { caller } = context
  if (pull.state === 'closed' || !mayEdit(rightsOn(caller), caller, row.poster_id)) return undefined
  const { address } = addressesOf(context, row)
  const branches = gitValue(await newestRefs(await openCode(context), 'heads', maxBranches))
  const names = branches.map(({ name }) => name).filter((name) => name !== pull.base.label)
  const isFromOwnFork = pull.head.repo_id !== pull.base.repo_id && caller.me?.id === row.poster_id
  return card('proposal', 'Proposal')`<div class="actions">
${
  names.length === 0
    ? undefined
    : opener(
        'Change the base',
        'Change the base branch',
        html`${opened(address, { action: 'base' })}
${choice({ name: 'base', label: 'Merge into', value: '', options: names.map((name) => [name, name] as const) })}
<button class="small">Change it</button></form>`,
      )
}
${pull.draft ? undefined : buttonForm(address, 'Make it a draft', 'Make it a draft', { action: 'draft' })}
${isFromOwnFork ? opener('Who may push', 'Choose who may push to the head branch', maintainersForm(address, pull.allow_maintainer_edit)) : undefined}
</div>`
}

const maintainersForm = (
  address: string,
  isOn: boolean,
): Html => html`${opened(address, { action: 'maintainers' })}
${tick({ name: 'allow', label: 'Those who may write here push to the head branch, too', isOn })}
<button class="small">Save</button></form>`
