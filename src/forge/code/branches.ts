import { pageFrom } from '../../db/page.ts'
import { isZeroId, zeroIdOf } from '../../git/program/names.ts'
import { pageQuery } from '../../http/route/page.ts'
import { conflict, forbidden, found, notFound, unprocessable } from '../../http/route/problem.ts'
import { json, noBody, paged } from '../../http/route/sends.ts'
import { branchRulesFor } from '../protection/branch-protection-store.ts'
import { ruleOf } from '../protection/branch-rules.ts'
import { queryText } from '../protocol/query.ts'
import { changeRefs } from '../push/change-refs.ts'
import { codeSeen, codeWritten } from '../repos/access.ts'
import {
  type Code,
  type CodeContext,
  commitNamed,
  commitOfBranch,
  commitOfTag,
  isAncestor,
  openCode,
  openToWrite,
} from '../repos/code.ts'
import { route } from '../route.ts'
import { CreateBranchRepoOption, RenameBranchRepoOption, UpdateBranchRepoOption } from './branch.option.ts'
import { Branch } from './branch.shape.ts'
import { branchesOf, printBranches } from './branch-list.ts'
import { renameBranch } from './rename-branch.ts'

/** Branches. The server changes one as a push does (`changeRefs`). */

export const repoListBranches = route('GET /repos/{owner}/{repo}/branches', {
  summary: 'Branches of a repository, those of the newest commits first',
  access: codeSeen(),
  query: { q: queryText, ...pageQuery() },
  fails: [404],
  returns: paged(Branch),
  shared: 'until written',
  handler: async (context) => {
    const code = await openCode(context)
    const page = pageFrom(await branchesOf(code, context.query.q), context.query)
    return { ...page, rows: await printBranches(context, code, page.rows) }
  },
})

export const repoGetBranch = route('GET /repos/{owner}/{repo}/branches/{branch...}', {
  summary: 'A branch',
  access: codeSeen(),
  fails: [404],
  returns: json(200, Branch),
  shared: 'until written',
  handler: async (context) => {
    const code = await openCode(context)
    const { branch } = context.params
    const commit = found(await commitOfBranch(code, branch))
    return found((await printBranches(context, code, [{ name: branch, commit }]))[0])
  },
})

export const repoCreateBranch = route('POST /repos/{owner}/{repo}/branches', {
  summary: 'Create a branch',
  access: codeWritten(),
  body: CreateBranchRepoOption,
  fails: [404, 409, 423, 503],
  returns: json(201, Branch),
  runsGit: true,
  handler: async (context) => {
    const { body } = context
    const code = await openFilled(context)
    const name = body.new_branch_name
    const start = body.old_ref_name || body.old_branch_name || code.row.default_branch
    const after = found(await commitNamed(code, start), 'The old branch does not exist')
    await requireFree(code, name)
    await changeRefs(context, code.row, [{ ref: `refs/heads/${name}`, before: zeroIdOf(after), after }])
    return found((await printBranches(context, code, [{ name, commit: after }]))[0])
  },
})

export const repoDeleteBranch = route('DELETE /repos/{owner}/{repo}/branches/{branch...}', {
  summary: 'Delete a branch, unless it is the default one or protected',
  access: codeWritten(),
  fails: [404, 409, 423, 503],
  returns: noBody(204),
  runsGit: true,
  handler: async (context) => {
    const code = await openFilled(context)
    const { branch } = context.params
    const before = found(await commitOfBranch(code, branch))
    if (branch === code.row.default_branch)
      throw forbidden('can not delete default or pull request target branch')
    const rules = await branchRulesFor(context.sql, code.row.id, context.caller.me.id)
    if (ruleOf(rules, branch)) throw forbidden('branch protected')
    await changeRefs(context, code.row, [{ ref: `refs/heads/${branch}`, before, after: zeroIdOf(before) }])
  },
})

export const repoUpdateBranch = route('PUT /repos/{owner}/{repo}/branches/{branch...}', {
  summary: 'Move a branch to another commit',
  access: codeWritten(),
  body: UpdateBranchRepoOption,
  fails: [404, 409, 423, 503],
  returns: noBody(204),
  runsGit: true,
  handler: async (context) => {
    const { body, params } = context
    const code = await openFilled(context)
    const { branch } = params
    const before = found(await commitOfBranch(code, branch))
    const expected = body.old_commit_id || before
    if (expected !== before)
      throw unprocessable(`branch commit does not match [expected: ${expected}, given: ${before}]`)
    const after = await commitNamed(code, body.new_commit_id)
    if (after === undefined || isZeroId(after))
      throw unprocessable(`there is no commit ${body.new_commit_id}`)
    if (after === before) return
    if (!body.force && !(await isAncestor(code, before, after)))
      throw unprocessable(`Force push ${branch} need a confirm force parameter`)
    await changeRefs(context, code.row, [{ ref: `refs/heads/${branch}`, before, after }])
  },
})

export const repoRenameBranch = route('PATCH /repos/{owner}/{repo}/branches/{branch...}', {
  summary:
    'Rename a branch and its rule; the default branch, or one with a rule, by administrators of the repository',
  access: codeWritten(),
  body: RenameBranchRepoOption,
  fails: [404, 409, 423, 503],
  returns: noBody(204),
  runsGit: true,
  handler: async (context) => {
    const code = await openFilled(context)
    const [from, to] = [context.params.branch, context.body.name]
    if (from === to || (await commitOfBranch(code, to)) !== undefined)
      throw unprocessable(
        'Cannot rename a branch using the same name or rename to a branch that already exists.',
      )
    const commit = found(await commitOfBranch(code, from), "Branch doesn't exist.")
    await renameBranch(context, code, { from, to, commit })
  },
})

/** The code of a repository that has commits, to change its branches. @throws Problem 404, 423 */
async function openFilled(context: CodeContext): Promise<Code> {
  const code = await openToWrite(context)
  if (code.row.is_empty) throw notFound('Git Repository is empty.')
  return code
}

/** @throws Problem 409 a branch or tag has this name, or one of two branches would be a folder of the other */
async function requireFree(code: Code, name: string): Promise<void> {
  if ((await commitOfBranch(code, name)) !== undefined) throw conflict('The branch already exists.')
  if ((await commitOfTag(code, name)) !== undefined)
    throw conflict('The branch with the same tag already exists.')
  const isBlocked = (await branchesOf(code, '')).some(
    (branch) => branch.name.startsWith(`${name}/`) || name.startsWith(`${branch.name}/`),
  )
  if (isBlocked) throw conflict('The branch with the same name already exists.')
}
