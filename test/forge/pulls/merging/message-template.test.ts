import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { pullMakers } from '../../../support/forge/pulls.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const [ada, eve] = await app.make.people('ada', 'eve')
const { on, repository, commit, propose } = pullMakers(app, ada)

const MERGE = 'POST /api/v1/repos/{owner}/{repo}/pulls/{index}/merge'
const folder = '.gitea/default_merge_message'

/** Merges a new pull request of eve; gives the message of the commit. */
async function merged(repo: string, branch: string, body: object): Promise<string> {
  const text = { title: `Add ${branch}`, body: 'Fixes #90 and fixes #91' }
  const { number: index } = await propose(repo, branch, { as: eve, ...text })
  assert.equal((await on(repo)('POST /pulls/{index}/merge', { index }, { body })).status, 200)
  const { body: pull } = await on(repo)('GET /pulls/{index}', { index })
  const { body: made } = await on(repo)('GET /git/commits/{sha}', { sha: pull.merge_commit_sha })
  return made.commit.message.trim()
}

test(`${MERGE} takes the message of a style from a template on the default branch`, async () => {
  const repo = await repository()
  await commit(repo, 'main', {
    [`${folder}/MERGE_TEMPLATE.md`]:
      '$PullRequestTitle by ${PullRequestPosterName}$Unknown\n\n${ClosingIssues}\n$BaseRepoOwnerName/$BaseRepoName:$BaseBranch\n',
    [`${folder}/SQUASH_TEMPLATE.md`]:
      '${PullRequestReference} $HeadRepoOwnerName/$HeadRepoName:$HeadBranch\n',
    [`${folder}/REBASE-MERGE_TEMPLATE.md`]: ' \n',
  })
  assert.equal(
    await merged(repo, 'one', { Do: 'merge' }),
    `Add one by eve\n\nclose #90, close #91\nada/${repo}:main`,
  )
  assert.match(await merged(repo, 'two', { Do: 'squash' }), new RegExp(`^#\\d+ ada/${repo}:two$`))
  assert.match(await merged(repo, 'three', { Do: 'rebase-merge' }), /^Merge pull request 'Add three' /)
  assert.equal(await merged(repo, 'four', { Do: 'merge', MergeTitleField: 'Four' }), 'Four')
})

test(`${MERGE} does not read templates that are too large, or no files`, async () => {
  const repo = await repository()
  await commit(repo, 'main', {
    [`${folder}/MERGE_TEMPLATE.md`]: `Large\n${'x'.repeat(6000)}`,
    [`${folder}/SQUASH_TEMPLATE.md/folder`]: 'x',
  })
  assert.match(await merged(repo, 'one', { Do: 'merge' }), /^Merge pull request/)
  assert.match(await merged(repo, 'two', { Do: 'squash' }), /^Add two \(#\d+\)$/)
})
