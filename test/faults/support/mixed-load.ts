import { setTimeout as pause } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import { UpdateLogRequestSchema } from '../../../src/actions/runner/protocol/messages.ts'
import { push as pushWith } from '../../bench/support/git.ts'
import { rows } from '../../support/forge/actions.ts'
import { type Answer, asker, type Client } from './mixed-client.ts'
import { commit, type MixedForge } from './mixed-forge.ts'

/** How often each operation had each outcome: a status, or how the connection failed. */
export type Outcomes = Map<string, Map<string, number>>

/** Callers of everything that people and programs do with a server, until they are stopped. */
export interface MixedLoad {
  outcomes: Outcomes
  /** Titles of the posts and issues that were acknowledged. */
  acknowledged: { posts: Set<string>; issues: Set<string> }
  /** Waits for what was begun on a server that `servers` has no more. */
  left: (port: number) => Promise<unknown>
  /** Asks no more, and waits for the last answers. */
  stop: () => Promise<void>
}

/** What one operation gets. */
interface Turn {
  client: Client
  forge: MixedForge
  /** Differs in each turn of each load. */
  name: string
  acknowledged: MixedLoad['acknowledged']
}

type Operation = (turn: Turn) => Promise<Answer>

const repository = '/api/v1/repos/bench/code'

const operations: Readonly<Record<string, Operation>> = {
  'publish a post': async ({ client, name, acknowledged }) => {
    const answer = await client.send('POST', '/api/news', {
      title: name,
      content: 'What was forged last week. '.repeat(8),
    })
    if (answer.outcome === '201') acknowledged.posts.add(name)
    return answer
  },
  'read news': ({ client }) => client.send('GET', '/api/news'),
  'read the overview': ({ client }) => client.send('GET', '/api/stats/overview'),
  'a visit': async ({ client, name }) => {
    const started = await client.send('POST', '/api/stats/session/start', {
      username: `visitor ${name.length}`,
    })
    const { sessionId } = bodyOf(started)
    return sessionId === undefined ? started : client.send('POST', '/api/stats/session/end', { sessionId })
  },
  'open an issue': async ({ client, name, acknowledged }) => {
    const answer = await client.send('POST', `${repository}/issues`, {
      title: name,
      body: '**What** fails, and `how`.',
    })
    if (answer.outcome === '201') acknowledged.issues.add(name)
    return answer
  },
  comment: ({ client, name }) =>
    client.send('POST', `${repository}/issues/1/comments`, { body: `Seen in ${name}.` }),
  'read issues': ({ client }) => client.send('GET', `${repository}/issues?limit=20`),
  'read a repository': ({ client }) => client.send('GET', repository),
  'set a status of a commit': ({ client, forge, name }) =>
    client.send('POST', `${repository}/statuses/${forge.commit}`, {
      state: 'success',
      context: name.slice(-1),
    }),
  'publish a package': ({ client, name }) =>
    client.send('PUT', `/api/packages/bench/generic/load/${name}/file`, Buffer.alloc(20_000, name)),
  'read runs': ({ client }) => client.send('GET', `${repository}/actions/runs`),
  'read jobs': ({ client }) => client.send('GET', '/api/v1/admin/actions/jobs?limit=20'),
  render: ({ client, name }) =>
    client.send('POST', '/api/v1/markdown', { Text: `# ${name}\n\n- one\n- two`, Mode: 'gfm' }),
  'read a page': ({ client }) => client.send('GET', '/bench/code'),
}

const bodyOf = ({ text }: Answer): Record<string, unknown> => {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** Milliseconds between the end of an operation and the next one of a caller. */
interface Pace {
  callers: number
  rest: number
  /** Between two pushes, of which each starts a workflow. */
  pushes: number
}

export const gentle: Pace = { callers: 8, rest: 40, pushes: 2_000 }

/** A server that a load asks. */
export interface Server {
  /** Stands in the outcomes. */
  name: string
  port: number
}

/**
 * Starts callers, one pusher and one runner, who ask the servers by turns. `servers` may change meanwhile and must
 * never be empty; `label` begins all names that the load gives.
 */
export function startMixed(
  servers: readonly Server[],
  forge: MixedForge,
  label: string,
  pace: Pace = gentle,
): MixedLoad {
  const outcomes: Outcomes = new Map()
  const acknowledged: MixedLoad['acknowledged'] = { posts: new Set(), issues: new Set() }
  let running = true
  let turns = 0
  const next = (): Server => {
    const server = servers[++turns % servers.length]
    if (!server) throw new Error('there is no server to ask')
    return server
  }
  const count = (operation: string, { name }: Server, outcome: string) => {
    const key = `${name}: ${operation}`
    const of = outcomes.get(key) ?? new Map<string, number>()
    outcomes.set(key, of.set(outcome, (of.get(outcome) ?? 0) + 1))
  }
  const underWay = new Set<{ port: number; done: Promise<void> }>()
  const onNext = async (work: (server: Server) => Promise<void>) => {
    const server = next()
    const one = { port: server.port, done: work(server) }
    underWay.add(one)
    await one.done.finally(() => underWay.delete(one))
  }
  const names = Object.keys(operations)
  const caller = async (first: number) => {
    const client = clients({ authorization: forge.authorization })
    for (let at = first; running; at++) {
      const operation = names[at % names.length] ?? ''
      await onNext(async (server) => {
        const turn = { client: client.of(server), forge, name: `${label}-${turns}`, acknowledged }
        count(operation, server, (await operations[operation]?.(turn))?.outcome ?? '')
      })
      await pause(pace.rest)
    }
    client.close()
  }
  const pusher = async () => {
    while (running) {
      await commit(forge, `${label}-${turns}`)
      await onNext(async (server) => {
        const to = { ...forge, url: `http://127.0.0.1:${server.port}` }
        const outcome = await pushWith(forge.folder, to, 'code').then(
          () => 'done',
          (error: Error) => `failed: ${error.message.split('\n').at(1)}`,
        )
        count('push', server, outcome)
      })
      await pause(pace.pushes)
    }
  }
  const runner = async () => {
    const client = clients(forge.runner)
    while (running) {
      await onNext((server) =>
        runOneJob(client.of(server), (operation, outcome) => count(operation, server, outcome)),
      )
      await pause(pace.rest * 5)
    }
    client.close()
  }
  const all = [...Array.from({ length: pace.callers }, (_, at) => caller(at * 3)), pusher(), runner()]
  return {
    outcomes,
    acknowledged,
    left: (port) => Promise.all([...underWay].filter((one) => one.port === port).map(({ done }) => done)),
    stop: async () => {
      running = false
      await Promise.all(all)
    },
  }
}

/** One client for each server. */
function clients(always: Readonly<Record<string, string>>) {
  const made = new Map<number, Client>()
  return {
    of: ({ port }: Server): Client => {
      const client = made.get(port) ?? asker(port, always)
      made.set(port, client)
      return client
    },
    close: () => made.forEach((client) => void client.close()),
  }
}

/** Takes a job if there is one, writes its log and ends it. */
async function runOneJob(client: Client, count: (operation: string, outcome: string) => void): Promise<void> {
  const ask = async (name: string, body: unknown, type?: string) => {
    const answer = await client.send('POST', `/api/actions/runner.v1.RunnerService/${name}`, body, type)
    count(`runner: ${name}`, answer.outcome)
    return bodyOf(answer)
  }
  const { task } = await ask('FetchTask', { tasksVersion: '0' })
  const id = String(Object(task).id ?? '')
  if (id === '') return
  const log = create(UpdateLogRequestSchema, {
    taskId: BigInt(id),
    index: 0n,
    rows: rows('one', 'two', 'three'),
  })
  await ask('UpdateLog', Buffer.from(toBinary(UpdateLogRequestSchema, log)), 'application/proto')
  await ask('UpdateTask', { state: { id, result: 1 } })
}
