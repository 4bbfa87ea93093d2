import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import { triggerConsumer } from '../../../src/actions/trigger/consumer.ts'
import { workflowConsumer } from '../../../src/forge/actions/workflow-events.ts'
import { autoMergeConsumer } from '../../../src/forge/pulls/merging/auto-merge.ts'
import { hookConsumer } from '../../../src/forge/webhooks/events.ts'
import { workflowMessages } from '../../../src/forge/webhooks/payload/messages.ts'
import { createLog } from '../../../src/log.ts'
import { startApp, type TestApp } from '../app.ts'
import { startBackground } from '../background.ts'
import { temporaryFolder } from '../folder.ts'
import { clientOk } from '../git.ts'
import { until } from '../wait.ts'
import { makersFor, type Somebody } from './make.ts'

/** An app that starts workflows, with somebody who pushes. */
export async function startForge() {
  const folder = await temporaryFolder()
  const app = await startApp({ DATA_DIR: join(folder, 'data') })
  const make = makersFor(app)
  const ada = await make.person({ name: 'ada' })
  const background = yardOf(app)
  after(() => background.stop())
  return { ...app, make, ada, background, folder }
}

/** What starts the workflows of one process. */
export function yardOf({ pool, clock, log, app }: Pick<TestApp, 'pool' | 'clock' | 'log' | 'app'>) {
  return startBackground(
    { pool, clock, log: createLog('info', log) },
    {
      consumers: [
        hookConsumer,
        triggerConsumer(workflowMessages),
        workflowConsumer('https://forgehall.example/'),
        autoMergeConsumer,
      ],
      followers: [app.workflows, app.scheduledMerges],
    },
  )
}

export type TestForge = Awaited<ReturnType<typeof startForge>>

/** A repository with a clone that is pushed from. */
export interface TestRepository {
  id: number
  name: string
  path: string
  /** Writes files (null: removes one), commits them and pushes to a branch; gives the commit. */
  push: (
    files: Readonly<Record<string, string | null>>,
    more?: { branch?: string; message?: string },
  ) => Promise<string>
  git: (...args: string[]) => Promise<string>
}

/** Makes a repository over the API and clones it. */
export async function startRepository(
  { call, url, folder, ada }: Pick<TestForge, 'call' | 'url' | 'folder' | 'ada'>,
  name: string,
  owner: Somebody = ada,
): Promise<TestRepository> {
  const { body } = await call('POST /api/v1/user/repos', {
    as: owner,
    body: { name, default_branch: 'main' },
  })
  const path = join(folder, `clone of ${name}`)
  const address = new URL(`${owner.name}/${name}.git`, url)
  address.username = owner.name
  address.password = owner.token
  await clientOk(folder, 'clone', '-q', address.href, path)
  const git = (...args: string[]) => clientOk(path, ...args)
  return {
    id: body.id,
    name,
    path,
    git,
    push: async (files, { branch = 'main', message = 'a change' } = {}) => {
      for (const [file, text] of Object.entries(files)) {
        await mkdir(dirname(join(path, file)), { recursive: true })
        if (text === null) await rm(join(path, file))
        else await writeFile(join(path, file), text)
      }
      await git('add', '-A')
      await git('commit', '-q', '--allow-empty', '-m', message)
      await git('push', '-q', 'origin', `HEAD:refs/heads/${branch}`)
      return git('rev-parse', 'HEAD')
    },
  }
}

/** Waits until everything that was pushed so far has been looked at; says what was logged when that does not come. */
export async function settled({ pool, log }: Pick<TestApp, 'pool' | 'log'>): Promise<void> {
  const waiting = until('all events are spread and looked at', async () => {
    const [row] = await pool<[{ open: number }]>`
      select (select count(*) from forge.event) + (select count(*) from forge.action_trigger) as open`
    return row.open === 0
  })
  await waiting.catch((cause: unknown) => {
    const lines = log.lines().filter(({ level }) => level === 'error')
    throw new Error(`${JSON.stringify(lines.slice(0, 5))}`, { cause })
  })
}
