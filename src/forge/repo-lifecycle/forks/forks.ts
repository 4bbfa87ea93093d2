import { pagesOf } from '../../../http/route/page.ts'
import { json } from '../../../http/route/sends.ts'
import { LEVELS } from '../../permissions/access-level-store.ts'
import { repoSeen, signedInCodeSeen } from '../../repos/access.ts'
import { listRepositories } from '../../repos/listed-repositories.ts'
import { printedParents } from '../../repos/parents.ts'
import { printRepository, Repository } from '../../repos/repo.shape.ts'
import { route } from '../../route.ts'
import { createRepository } from '../creation/creation.ts'
import { CreateForkOption } from './fork.option.ts'
import { planOfFork } from './fork-plan.ts'

export const listForks = route('GET /repos/{owner}/{repo}/forks', {
  summary: 'Forks of a repository that the caller may see, oldest first',
  access: repoSeen(),
  ...pagesOf(Repository),
  handler: (context) => listRepositories(context, { parent: context.caller.repo.id }, 'id asc'),
})

export const createFork = route('POST /repos/{owner}/{repo}/forks', {
  summary: 'Fork a repository: the caller or an organization gets one with its branches and tags',
  access: signedInCodeSeen(),
  body: CreateForkOption,
  fails: [403, 404, 409, 422, 503, 507],
  returns: json(202, Repository),
  runsGit: true,
  handler: async (context) => {
    const plan = await planOfFork(context)
    const row = await createRepository(context, plan)
    const { sql, caller, from } = context
    const parents = await printedParents(sql, caller, {
      rows: [{ parent_id: plan.draft.parent_id ?? null }],
      host: from.host,
    })
    const view = { host: from.host, level: LEVELS.owner, known: true }
    return printRepository(row, plan.owner, { ...view, parent: parents.get(row.parent_id) })
  },
})
