import { nameKey } from '../../forge/accounts/account-store.ts'
import { headNamed } from '../../forge/pulls/head-store.ts'
import { type Code, type CodeContext, gitValue } from '../../forge/repos/code.ts'
import { folderOf } from '../../forge/repos/repo-store.ts'
import { readerOf } from '../../forge/repos/visibility.ts'
import { newestRefs } from '../../git/repository/cache/newest-refs.ts'
import { choice } from '../form.ts'
import { type Html, html } from '../html.ts'

/** How many branches of a repository the form offers. */
const maximum = 100

/** The form that chooses the two branches that are compared: those of the repository, and those of the reader's own fork. */
export async function sidesForm(
  context: CodeContext,
  code: Code,
  { base, head }: { base: string; head: string },
): Promise<Html> {
  const names = await branchesIn(code)
  const heads = [...names, ...(await ownBranches(context, code))]
  const optionsOf = (listed: readonly string[], chosen: string) =>
    [...new Set([...(chosen === '' ? [] : [chosen]), ...listed])].map((name) => [name, name] as const)
  return html`<form class="card two" action="${code.home}/compare" aria-label="Branches">
${choice({ name: 'base', label: 'Merge into', value: base, options: optionsOf(names, base) })}
${choice({ name: 'head', label: 'From', value: head, options: optionsOf(heads, head) })}
<div class="actions"><button class="quiet">Compare</button></div>
</form>`
}

const branchesIn = async (code: Pick<Code, 'git' | 'directory'>): Promise<string[]> =>
  gitValue(await newestRefs(code, 'heads', maximum)).map(({ name }) => name)

/** The branches of another repository of the same family that the reader owns, as heads are named. */
async function ownBranches({ caller, sql, tools, from }: CodeContext, code: Code): Promise<string[]> {
  const owner = caller.me && nameKey(caller.me.name)
  if (!caller.me || owner === undefined) return []
  const named = { base: code.row, reader: readerOf(caller) }
  const fork = await headNamed(sql, named, { owner, repo: undefined })
  if (!fork || fork.id === code.row.id) return []
  const open = tools.gitService.forReader(from).repositories.open(folderOf(fork))
  return open ? (await branchesIn(open)).map((name) => `${fork.owner_name}:${name}`) : []
}
