import { createHash } from 'node:crypto'
import { flush, packet } from '../../../src/git/http/pkt-line.ts'
import {
  bob,
  each,
  elsewhere,
  made,
  type Operation,
  ofRepository,
  once,
  type Prepared,
  Unprepared,
  vic,
} from './operation.ts'

/** Branches, tags, files and commits, and copies of them. */

const repository = ofRepository('code')
const base64 = (text: string) => Buffer.from(text).toString('base64')

const write = (path: string, text: string, more: object = {}) =>
  repository('POST /contents/{filepath...}', {
    params: () => ({ filepath: path }),
    body: () => ({ content: base64(text), message: 'Write', ...more }),
  })

const begun = made(write('README.md', 'one\ntwo\n'), 'file', ({ content }) => content.sha)
/** The repository has a commit on `main`, with a file. */
export const written = each(
  begun,
  once(async ({ eve, guild, repo }, call) => {
    const literal = 'GET /api/v1/repos/{owner}/{repo}/branches/{branch...}'
    const params = { owner: guild, repo, branch: 'main' }
    const { status, body } = await call(literal, { as: eve, params })
    if (status !== 200) throw new Unprepared(`${literal} ${status}`)
    return { commit: body.commit.id, sha: body.commit.id }
  }),
)
const path = () => ({ filepath: 'README.md' })

const newBranch = repository('POST /branches', {
  before: written,
  body: () => ({ new_branch_name: 'topic' }),
})
const theBranch = each(made(newBranch), async () => ({ branch: 'topic' }))
const newTag = repository('POST /tags', { before: written, body: () => ({ tag_name: 'v0', target: 'main' }) })

/** The tag `v1`. */
export const theTag = made({ ...newTag, body: () => ({ tag_name: 'v1', target: 'main' }) }, 'tag', () => 'v1')

/** A branch with one more commit, and what proposes it. */
const side = made(
  { ...write('side.txt', 'side\n', { new_branch: 'side' }), before: written },
  'side',
  () => 'side',
)
const newPull = repository('POST /pulls', {
  before: each(written, side),
  body: () => ({ head: 'side', base: 'main', title: 'Side' }),
})
export const thePull = made(newPull, 'index')
const behind = each(
  thePull,
  made({ ...write('main.txt', 'main\n'), before: written }, 'main', () => 'main'),
)

const reviewOf = (event: string, comments: object[] = []) =>
  repository('POST /pulls/{index}/reviews', {
    as: bob,
    before: thePull,
    body: () => ({ event, body: 'So', comments }),
  })
const line = { path: 'side.txt', body: 'Why?', new_position: 1 }
const newReview = reviewOf('COMMENT', [line])
const theReview = made(newReview)
const theLine = each(
  theReview,
  once(async (scene, call) => {
    const { index = 0, id = 0 } = await theReview(scene, call)
    const { body } = await call('GET /api/v1/repos/{owner}/{repo}/pulls/{index}/reviews/{id}/comments', {
      as: scene.eve,
      params: { owner: scene.guild, repo: scene.repo, index, id },
    })
    return { id: body?.[0]?.id ?? 0 }
  }),
)
const draft = made(reviewOf('PENDING', [line]))
const verdict = made(reviewOf('REQUEST_CHANGES'))
const dismiss = repository('POST /pulls/{index}/reviews/{id}/dismissals', {
  before: verdict,
  body: () => ({ message: 'Done' }),
})
const resolve = repository('POST /pulls/comments/{id}/resolve', { before: theLine })
const reviewers = () => ({ reviewers: [] as string[], team_reviewers: ['owners'] })
const askFor = repository('POST /pulls/{index}/requested_reviewers', { before: thePull, body: reviewers })
const merge = (Do: string, more: object = {}) =>
  repository('POST /pulls/{index}/merge', { before: thePull, body: () => ({ Do, ...more }) })
const rule = repository('POST /branch_protections', {
  body: () => ({
    rule_name: 'main',
    enable_status_check: true,
    status_check_contexts: ['ci'],
    enable_push: true,
  }),
})
const scheduled = each(
  thePull,
  made(rule, 'rule', ({ rule_name }) => rule_name),
  made(merge('merge', { merge_when_checks_succeed: true }), 'merge'),
)

const fork = repository('POST /forks', { as: vic, before: written, body: () => ({}) })
const later = made({ ...write('later.txt', 'later\n'), before: made(fork, 'fork') }, 'later', () => 1)
const mark = made(repository('PATCH ', { body: () => ({ template: true }) }), 'template')

/** A push that makes a branch of what is there. */
function pushed(_: unknown, { commit }: Prepared): Buffer {
  const command = packet(`${'0'.repeat(40)} ${commit} refs/heads/pushed\0report-status\n`)
  const nothing = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  return Buffer.concat([command, flush, nothing, createHash('sha1').update(nothing).digest()])
}

export const code: readonly Operation[] = [
  { ...write('new.txt', 'new\n'), before: written },
  repository('PUT /contents/{filepath...}', {
    params: path,
    before: written,
    body: (_, { file }) => ({ content: base64('three\n'), sha: file, message: 'Edit' }),
  }),
  repository('DELETE /contents/{filepath...}', {
    params: path,
    before: written,
    body: (_, { file }) => ({ sha: file, message: 'Remove' }),
  }),
  repository('POST /contents', {
    before: written,
    body: () => ({
      files: [{ operation: 'create', path: 'more.txt', content: base64('more\n') }],
      message: 'More',
    }),
  }),
  repository('POST /diffpatch', {
    before: written,
    body: () => ({ content: '--- a/README.md\n+++ b/README.md\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n' }),
  }),
  newBranch,
  repository('PATCH /branches/{branch...}', { before: theBranch, body: () => ({ name: 'subject' }) }),
  repository('PUT /branches/{branch...}', {
    before: theBranch,
    body: (_, { commit }) => ({ new_commit_id: commit, force: true }),
  }),
  repository('DELETE /branches/{branch...}', { before: theBranch }),
  repository('DELETE /branches/{branch...}', { before: each(thePull, async () => ({ branch: 'side' })) }),
  newTag,
  repository('DELETE /tags/{tag...}', { before: each(made(newTag), async () => ({ tag: 'v0' })) }),
  repository('POST /statuses/{sha}', { before: written, body: () => ({ state: 'success', context: 'ci' }) }),
  elsewhere('code')('POST /{owner}/{repo}/git-receive-pack', {
    params: ({ guild, repo }) => ({ owner: guild, repo }),
    headers: () => ({ 'content-type': 'application/x-git-receive-pack-request' }),
    before: written,
    body: pushed,
  }),
  fork,
  elsewhere('code')('POST /api/v1/repos/{owner}/{repo}/merge-upstream', {
    as: vic,
    params: ({ vic: { name }, repo }) => ({ owner: name, repo }),
    before: later,
    body: () => ({ branch: 'main' }),
  }),
  repository('POST /generate', {
    before: each(written, mark),
    body: ({ otherGuild }) => ({
      owner: otherGuild,
      name: 'copy',
      git_content: true,
      labels: true,
      avatar: true,
    }),
  }),

  newPull,
  repository('PATCH /pulls/{index}', { before: thePull, body: () => ({ title: 'Other', state: 'closed' }) }),
  merge('merge'),
  merge('rebase'),
  { ...merge('squash', { delete_branch_after_merge: true }), hasTwoSteps: true },
  repository('POST /pulls/{index}/update', { before: behind }),
  repository('DELETE /pulls/{index}/merge', { before: scheduled }),
  askFor,
  repository('DELETE /pulls/{index}/requested_reviewers', { before: made(askFor), body: reviewers }),
  newReview,
  repository('POST /pulls/{index}/reviews/{id}', {
    as: bob,
    before: draft,
    body: () => ({ event: 'COMMENT', body: 'So' }),
  }),
  repository('DELETE /pulls/{index}/reviews/{id}', { as: bob, before: draft }),
  dismiss,
  repository('POST /pulls/{index}/reviews/{id}/undismissals', { before: made(dismiss) }),
  repository('POST /pulls/{index}/comments/{id}/replies', {
    before: theLine,
    body: () => ({ body: 'Because' }),
  }),
  repository('PATCH /pulls/comments/{id}', { as: bob, before: theLine, body: () => ({ body: 'How?' }) }),
  repository('DELETE /pulls/comments/{id}', { as: bob, before: theLine }),
  resolve,
  repository('POST /pulls/comments/{id}/unresolve', { before: each(made(resolve), theLine) }),
]
