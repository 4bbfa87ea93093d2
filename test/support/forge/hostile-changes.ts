import { createHash } from 'node:crypto'
import { flush, packet } from '../../../src/git/http/pkt-line.ts'
import type { TestApp } from '../app.ts'
import { clientOk } from '../git.ts'
import type { Somebody } from './make.ts'

/** The operations that run git and are no `GET`, on a repository of `hostileRepositories`. */

/** Where a client acts: on a repository, with names of its own. */
export interface Stage {
  owner: string
  repo: string
  /** Tells the names of one client from those of another. */
  client: string
  /** Ids of commits. */
  base: string
  main: string
  /** The blob of `README.md` on `main`. */
  readme: string
  /** What was prepared for this client. */
  pulls: { merged: number; updated: number; edited: number }
  review: number
  draft: number
}

/** What a client sends: the path, where it is not about the repository itself, and the body. */
interface Sent {
  params?: Readonly<Record<string, string | number>>
  body: object | Buffer
}

const content = Buffer.from('text\n').toString('base64')
const newBranch = (name: string, client: string) => ({ branch: 'main', new_branch: `${name}-${client}` })
const patch =
  'diff --git a/patched b/patched\nnew file mode 100644\n--- /dev/null\n+++ b/patched\n@@ -0,0 +1 @@\n+text\n'

const API = '/api/v1/repos/{owner}/{repo}'

/** A new repository, which belongs to this repository in no way but by running beside it. */
const creation = ({ repo, client }: Stage, scope: string): Sent => ({
  params: { org: 'guild', username: 'ada' },
  body: { name: `${scope}-${repo}-${client}`, auto_init: true },
})

/** By the literal of the operation. */
const changes: Readonly<Record<string, (stage: Stage) => Sent>> = {
  [`POST ${API}/actions/workflows/{workflow_id}/dispatches`]: () => ({
    params: { workflow_id: 'ci.yml' },
    body: { ref: 'main' },
  }),
  [`POST ${API}/branches`]: ({ client }) => ({
    body: { new_branch_name: `new-${client}`, old_ref_name: 'main' },
  }),
  [`DELETE ${API}/branches/{branch...}`]: ({ client }) => ({
    params: { branch: `ended-${client}` },
    body: {},
  }),
  [`PATCH ${API}/branches/{branch...}`]: ({ client }) => ({
    params: { branch: `named-${client}` },
    body: { name: `renamed-${client}` },
  }),
  [`PUT ${API}/branches/{branch...}`]: ({ client, base }) => ({
    params: { branch: `moved-${client}` },
    body: { new_commit_id: base, force: true },
  }),
  [`POST ${API}/tags`]: ({ client }) => ({
    body: { tag_name: `tag-${client}`, target: 'main', message: 'x' },
  }),
  [`DELETE ${API}/tags/{tag...}`]: ({ client }) => ({ params: { tag: `old-${client}` }, body: {} }),
  [`POST ${API}/diffpatch`]: ({ client }) => ({ body: { content: patch, ...newBranch('patched', client) } }),
  [`POST ${API}/contents`]: ({ client }) => ({
    body: {
      files: [{ operation: 'create', path: `docs/several-${client}`, content }],
      ...newBranch('several', client),
    },
  }),
  [`POST ${API}/contents/{filepath...}`]: ({ client }) => ({
    params: { filepath: `docs/new-${client}` },
    body: { content, ...newBranch('created', client) },
  }),
  [`PUT ${API}/contents/{filepath...}`]: ({ client, readme }) => ({
    params: { filepath: 'README.md' },
    body: { content, sha: readme, ...newBranch('written', client) },
  }),
  [`DELETE ${API}/contents/{filepath...}`]: ({ client, readme }) => ({
    params: { filepath: 'README.md' },
    body: { sha: readme, ...newBranch('removed', client) },
  }),
  [`POST ${API}/merge-upstream`]: ({ client }) => ({
    params: { owner: `guild-${client}` },
    body: { branch: 'main' },
  }),
  [`POST ${API}/statuses/{sha}`]: ({ main, client }) => ({
    params: { sha: main },
    body: { state: 'success', context: client },
  }),
  [`POST ${API}/pulls/{index}/merge`]: ({ pulls }) => ({
    params: { index: pulls.merged },
    body: { Do: 'merge' },
  }),
  [`POST ${API}/pulls/{index}/update`]: ({ pulls }) => ({ params: { index: pulls.updated }, body: {} }),
  [`POST ${API}/pulls`]: ({ client }) => ({
    body: { title: 'New', head: 'main', base: `proposed-${client}` },
  }),
  [`PATCH ${API}/pulls/{index}`]: ({ pulls }) => ({
    params: { index: pulls.edited },
    body: { base: 'base' },
  }),
  [`POST ${API}/pulls/{index}/reviews`]: ({ pulls }) => ({
    params: { index: pulls.edited },
    body: { event: 'COMMENT', body: 'So', comments: [{ path: 'README.md', body: 'Why?', new_position: 1 }] },
  }),
  // On another one than the review above, which would end this one.
  [`POST ${API}/pulls/{index}/reviews/{id}`]: ({ pulls, review }) => ({
    params: { index: pulls.updated, id: review },
    body: { event: 'COMMENT', body: 'So' },
  }),
  [`POST ${API}/releases`]: ({ client }) => ({
    body: { tag_name: `released-${client}`, target_commitish: 'main' },
  }),
  [`PATCH ${API}/releases/{id}`]: ({ draft }) => ({ params: { id: draft }, body: { draft: false } }),
  'POST /api/v1/admin/users/{username}/repos': (stage) => creation(stage, 'admin'),
  'POST /api/v1/user/repos': (stage) => creation(stage, 'user'),
  'POST /api/v1/orgs/{org}/repos': (stage) => creation(stage, 'orgs'),
  'POST /api/v1/org/{org}/repos': (stage) => creation(stage, 'org'),
  [`POST ${API}/generate`]: ({ repo, client }) => ({
    body: { owner: 'ada', name: `generated-${repo}-${client}`, git_content: true },
  }),
  [`POST ${API}/forks`]: ({ client }) => ({ body: { organization: `team-${client}` } }),
  'POST /{owner}/{repo}/git-upload-pack': ({ main }) => ({
    body: Buffer.concat([packet(`want ${main} ofs-delta\n`), flush, packet('done\n')]),
  }),
  'POST /{owner}/{repo}/git-receive-pack': ({ main, client }) => {
    const command = packet(`${'0'.repeat(40)} ${main} refs/heads/pushed-${client}\0report-status\n`)
    const nothing = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
    const sum = createHash('sha1').update(nothing).digest()
    return { body: Buffer.concat([command, flush, nothing, sum]) }
  },
}

export const changingLiterals: readonly string[] = Object.keys(changes)

/** What a client sends for an operation. */
export function changeOf(literal: string, stage: Stage): Sent {
  const change = changes[literal]
  if (!change) throw new Error(`${literal} is not in the table`)
  return change(stage)
}

/** Branches that operations of a client end, move, merge or propose, by what they point to. */
const branches = {
  main: ['ended', 'named', 'moved', 'head'],
  base: ['merged', 'proposed', 'edited'],
  side: ['behind'],
} as const

/** Makes what the operations of a client need; `source` has the commits. */
export async function stageFor(
  { call }: Pick<TestApp, 'call'>,
  ada: Somebody,
  { source, address, repo, client }: { source: string; address: string; repo: string; client: string },
): Promise<Stage> {
  const refs = Object.entries(branches).flatMap(([from, names]) =>
    names.map((name) => `${from}:refs/heads/${name}-${client}`),
  )
  await clientOk(source, 'push', '-q', address, ...refs, `main:refs/tags/old-${client}`)
  const [base = '', main = '', readme = ''] = (
    await clientOk(source, 'rev-parse', 'base', 'main', 'main:README.md')
  ).split('\n')
  const place = { owner: 'ada', repo }
  const make = async (
    literal: string,
    body: object,
    params: Readonly<Record<string, string | number>> = {},
  ) => {
    const { status, body: made } = await call(literal, { as: ada, params: { ...place, ...params }, body })
    if (status >= 300) throw new Error(`${literal}: ${status} ${JSON.stringify(made)}`)
    return made
  }
  // What git needs too much memory for cannot be proposed.
  const pull = async (head: string, to: string): Promise<number> => {
    const propose = (from: string) => make(`POST ${API}/pulls`, { title: 'Prepared', head: from, base: to })
    const { number } = await propose(head).catch(() => propose(`behind-${client}`))
    return number
  }
  const pulls = {
    merged: await pull(`head-${client}`, `merged-${client}`),
    updated: await pull(`behind-${client}`, `head-${client}`),
    edited: await pull(`head-${client}`, `edited-${client}`),
  }
  const { id } = await make(`POST ${API}/pulls/{index}/reviews`, { body: 'So' }, { index: pulls.updated })
  const draft = await make(`POST ${API}/releases`, { tag_name: `draft-${client}`, draft: true })
  const fork = { owner: `guild-${client}`, branch: 'main' }
  await make(`POST ${API}/forks`, { organization: fork.owner })
  await make(`PUT ${API}/branches/{branch...}`, { new_commit_id: base, force: true }, fork)
  return { ...place, client, base, main, readme, pulls, review: id, draft: draft.id }
}
