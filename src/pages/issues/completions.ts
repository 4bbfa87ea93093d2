import * as v from 'valibot'
import type { Sql } from '../../db/sql.ts'
import { pageOfUsers } from '../../forge/accounts/user-list-store.ts'
import { permits } from '../../forge/auth/scopes.ts'
import { usersListedTo } from '../../forge/auth/user-visibility.ts'
import { pageOfAssignable } from '../../forge/issues/assignee-store.ts'
import { issuesMeantBy } from '../../forge/issues/search/issue-reference-store.ts'
import { queryText } from '../../forge/protocol/query.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { issueSubscriber, readableKind } from '../../forge/repos/issue-access.ts'
import { json } from '../../http/route/sends.ts'
import { route } from '../route.ts'

/** How many completions there are at most, and how many of those who write in the repository are looked at. */
const maximum = { completions: 8, writers: 100 }

/** What a text may have in place of a word, and what it stands for. */
const Completion = v.object({ value: v.string(), text: v.string() })
type Completion = v.InferOutput<typeof Completion>

export const getCompletions = route('GET /{owner}/{repo}/completions', {
  summary:
    'How a word of a text may go on, for the script of forms: people for @, issues and pull requests for #, whom and which the caller may see',
  access: issueSubscriber(),
  query: { q: queryText },
  returns: json(200, v.array(Completion)),
  handler: ({ caller, query: { q }, sql }) => {
    const word = q.slice(1, 1 + 100)
    if (q.startsWith('@')) return peopleCalled(sql, caller, word)
    return q.startsWith('#') ? issuesCalled(sql, caller, word) : []
  },
})

/** Those who write in the repository first. */
async function peopleCalled(sql: Sql, caller: SignedInOnRepository, word: string): Promise<Completion[]> {
  const { rows: writers } = await pageOfAssignable(sql, caller.repo.id, { page: 1, limit: maximum.writers })
  const sought = word.toLowerCase()
  const near = writers.filter(({ name, full_name }) =>
    [name, full_name].some((each) => each.toLowerCase().includes(sought)),
  )
  const filter = { q: word, is_active: true, ...usersListedTo(caller) }
  const others =
    word === '' || !readsUsers(caller)
      ? []
      : (await pageOfUsers(sql, filter, { page: 1, limit: maximum.completions })).rows
  const people = new Map([...near, ...others].map(({ name, full_name }) => [name, full_name]))
  return [...people]
    .map(([name, full_name]) => ({ value: `@${name}`, text: full_name }))
    .slice(0, maximum.completions)
}

const readsUsers = ({ token }: SignedInOnRepository) => !token || permits(token.scopes, ['user'], 'read')

async function issuesCalled(sql: Sql, caller: SignedInOnRepository, q: string): Promise<Completion[]> {
  const filter = { repository: caller.repo.id, isPull: readableKind(caller), q }
  const issues = await issuesMeantBy(sql, filter, maximum.completions)
  return issues.map(({ number, title }) => ({ value: `#${number}`, text: title }))
}
