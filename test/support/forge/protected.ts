import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { startApp } from '../app.ts'
import { temporaryFolder } from '../folder.ts'
import { client, clientOk } from '../git.ts'
import { type Somebody, samePassword } from './make.ts'

/**
 * A server on which ada owns repositories that bob may write to. `rule` adds a rule of protected branches, `push`
 * commits files on top of a branch and pushes them with git.
 */
export async function startProtected(settings: Record<string, string> = {}) {
  const folder = await temporaryFolder()
  const app = await startApp({ DATA_DIR: join(folder, 'data'), ...settings })
  const { call, url, make } = app
  const [ada, bob, eve] = await make.people('ada', 'bob', 'eve')
  let made = 0

  async function repository() {
    const name = `r${++made}`
    const params = { owner: 'ada', repo: name }
    assert.equal(
      (await call('POST /api/v1/user/repos', { as: ada, body: { name, auto_init: true } })).status,
      201,
    )
    const body = { permission: 'write' }
    await call('PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
      as: ada,
      params: { ...params, collaborator: 'bob' },
      body,
    })
    const work = join(folder, name)
    const address = (who: Somebody) =>
      Object.assign(new URL(`/ada/${name}.git`, url), { username: who.name, password: samePassword }).href
    await clientOk(folder, 'clone', '-q', address(ada), work)

    const commit = async (files: Record<string, string>) => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(work, path)), { recursive: true })
        await writeFile(join(work, path), text)
      }
      await clientOk(work, 'add', '.')
      await clientOk(work, 'commit', '-qm', Object.keys(files).join() || 'nothing', '--allow-empty')
      return clientOk(work, 'rev-parse', 'HEAD')
    }
    return {
      name,
      params,
      work,
      /** The directory of the server. */
      path: join(folder, 'data', 'repositories', 'ada', `${name}.git`),
      commit,
      ask: (as: Somebody | undefined, literal: string, more: { params?: object; body?: unknown } = {}) =>
        call(literal, {
          ...(as && { as }),
          ...more,
          params: { ...params, ...more.params },
        }),
      /** Pushes refs; gives what the client prints of the server, or "" where all have moved. */
      push: async (who: Somebody, ...refs: string[]) => {
        const { code, stderr } = await client(work, 'push', '-q', address(who), ...refs)
        if (code === 0) return ''
        return /^remote: (.*)$/m.exec(stderr)?.[1]?.trim() ?? stderr
      },
    }
  }
  return { ...app, folder, ada, bob, eve, repository }
}
