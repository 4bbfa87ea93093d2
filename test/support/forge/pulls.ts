import assert from 'node:assert/strict'
import type { startApp } from '../app.ts'
import type { Answered } from '../client.ts'
import type { Somebody } from './make.ts'

type App = Pick<Awaited<ReturnType<typeof startApp>>, 'call'>

const REPO = '/api/v1/repos/{owner}/{repo}'

/** Makes repositories of an account and pull requests in them, through the API. */
export function pullMakers({ call }: App, owner: Somebody) {
  let made = 0

  /** A call about a repository: `on('r1')('GET /pulls/{index}', { index: 1 })`. */
  const on =
    (repo: string, place = owner.name) =>
    (
      literal: string,
      params: object = {},
      { as = owner, body, query }: { as?: Somebody; body?: unknown; query?: Record<string, string> } = {},
    ): Promise<Answered> => {
      const [method, path] = literal.split(' ')
      const given = { as, params: { owner: place, repo, ...params }, ...(query && { query }) }
      return call(`${method} ${REPO}${path}`, body === undefined ? given : { ...given, body })
    }

  /** A repository with a README on `main`; gives its name. */
  async function repository(settings: object = {}): Promise<string> {
    const name = `repo${++made}`
    const body = { name, auto_init: true, ...settings }
    assert.equal((await call('POST /api/v1/user/repos', { as: owner, body })).status, 201)
    return name
  }

  /** Lets an account work on a repository. */
  async function admit(repo: string, { name: collaborator }: Somebody, permission = 'write') {
    const body = { permission }
    const { status } = await on(repo)('PUT /collaborators/{collaborator}', { collaborator }, { body })
    assert.equal(status, 204)
  }

  /** Writes files in a commit on a branch, which is made from `main` if it is not there; gives the commit. */
  async function commit(
    repo: string,
    branch: string,
    files: Readonly<Record<string, string>>,
    { isNew = false, message = 'Write' } = {},
  ): Promise<string> {
    const known = await Promise.all(
      Object.keys(files).map(async (path) => {
        const query = { ref: isNew ? 'main' : branch }
        const { status, body } = await on(repo)('GET /contents/{filepath...}', { filepath: path }, { query })
        return status === 200 ? { operation: 'update', sha: body.sha } : { operation: 'create' }
      }),
    )
    const changes = Object.entries(files).map(([path, text], place) => ({
      ...known[place],
      path,
      content: Buffer.from(text).toString('base64'),
    }))
    const where = isNew ? { branch: 'main', new_branch: branch } : { branch }
    const { status, body } = await on(repo)(
      'POST /contents',
      {},
      { body: { ...where, message, files: changes } },
    )
    assert.equal(status, 201, JSON.stringify(body))
    return body.commit.sha
  }

  /** Opens a pull request for a new branch with these files; gives its number, id and head. */
  async function propose(
    repo: string,
    branch: string,
    {
      files = { [`${branch}.txt`]: 'one\ntwo\n' },
      as = owner,
      ...more
    }: { files?: Readonly<Record<string, string>>; as?: Somebody; title?: string; body?: string } = {},
  ): Promise<{ number: number; id: number; head: string }> {
    const head = await commit(repo, branch, files, { isNew: true })
    await admitProposer(repo, as)
    const body = { head: branch, base: 'main', title: `Add ${branch}`, ...more }
    const opened = await on(repo)('POST /pulls', {}, { as, body })
    assert.equal(opened.status, 201, JSON.stringify(opened.body))
    return { number: opened.body.number, id: opened.body.id, head }
  }

  /** Only who works on a repository proposes its branches: others become readers of it. */
  async function admitProposer(repo: string, as: Somebody): Promise<void> {
    const known = await on(repo)('GET /collaborators/{collaborator}', { collaborator: as.name })
    if (as !== owner && known.status === 404) await admit(repo, as, 'read')
  }

  /** Protects a branch. */
  async function protect(repo: string, rule: object) {
    const body = { rule_name: 'main', enable_push: true, ...rule }
    assert.equal((await on(repo)('POST /branch_protections', {}, { body })).status, 201)
  }

  return { on, repository, admit, commit, propose, protect }
}
