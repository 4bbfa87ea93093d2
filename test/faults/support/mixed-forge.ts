import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, push } from '../../bench/support/git.ts'
import { asker } from './mixed-client.ts'

/** What a mixed load works on: an administrator `bench` with a repository `code`, and a runner. */
export interface MixedForge {
  /** Header of that name, of the administrator. */
  authorization: string
  /** Headers that prove the runner. */
  runner: Readonly<Record<string, string>>
  /** A working folder of the repository; each push from it starts a workflow. */
  folder: string
  /** Hash of the first commit. */
  commit: string
}

const administrator = { ADMIN_USERNAME: 'bench', ADMIN_PASSWORD: 'a password for faults' }
const RUNNER_TOKEN = 'what-the-runners-of-the-load-register-with'

/** Variables that a server under a mixed load needs. */
export const mixedSettings = { ...administrator, RUNNER_TOKEN }

const workflow = `on: push
jobs:
  test: {runs-on: load, steps: [{run: echo}]}
  after: {needs: test, runs-on: load, steps: [{run: echo}]}
`

/**
 * Makes the repository, one issue and the runner over the API; the working folder lies in `parent` and is called after
 * `name`.
 */
export async function prepareMixed(port: number, parent: string, name: string): Promise<MixedForge> {
  const { ADMIN_USERNAME, ADMIN_PASSWORD } = administrator
  const words = Buffer.from(`${ADMIN_USERNAME}:${ADMIN_PASSWORD}`)
  const authorization = `Basic ${words.toString('base64')}`
  const client = asker(port, { authorization })
  const made = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const { outcome, text } = await client.send('POST', path, body)
    if (!outcome.startsWith('2')) throw new Error(`${path}: ${outcome} ${text}`)
    return Object(JSON.parse(text))
  }
  // A token spares the server the password of each request.
  const token = await made('/api/v1/users/bench/tokens', { name: 'load', scopes: ['all'] })
  await made('/api/v1/user/repos', { name: 'code' })
  await made('/api/v1/repos/bench/code/issues', { title: 'the first' })
  const registered = await made('/api/actions/runner.v1.RunnerService/Register', {
    name: 'load',
    token: RUNNER_TOKEN,
    labels: ['load'],
    version: 'v3.3.0',
  })
  client.close()
  const { uuid, token: proof } = Object(registered.runner)
  const forge = {
    authorization: `Basic ${Buffer.from(`bench:${token.sha1}`).toString('base64')}`,
    runner: { 'x-runner-uuid': String(uuid), 'x-runner-token': String(proof) },
    folder: join(parent, `working-${name}`),
    commit: '',
  }
  mkdirSync(join(forge.folder, '.gitea', 'workflows'), { recursive: true })
  writeFileSync(join(forge.folder, '.gitea', 'workflows', 'ci.yml'), workflow)
  await git(forge.folder, 'init', '-q', '-b', 'main')
  await commit(forge, 'the first')
  await push(forge.folder, { ...forge, url: `http://127.0.0.1:${port}` }, 'code')
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: forge.folder, encoding: 'utf8' })
  return { ...forge, commit: head.trim() }
}

/** Commits a change to the working folder. */
export async function commit({ folder }: Pick<MixedForge, 'folder'>, text: string): Promise<void> {
  writeFileSync(join(folder, 'file'), text)
  await git(folder, 'add', '.')
  await git(folder, 'commit', '-qm', text)
}
