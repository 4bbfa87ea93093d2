import { createServer } from 'node:http'
import * as v from 'valibot'
import { type App, createApp } from '../../app.ts'
import { listen, stop } from '../../http/listener/server.ts'
import { createLog } from '../../log.ts'
import { type CommandContext, SetupError } from '../command.ts'

/** Sends a request such as `POST /api/v1/orgs`, with a body of bytes or JSON. Returns the answer, parsed if it is JSON. */
export type Call = (
  literal: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
) => Promise<Readonly<Record<string, unknown>>>

/** Sends a request as one of the people of the demonstration. */
export type As = (name: string, ...request: Parameters<Call>) => ReturnType<Call>

interface Client {
  call: Call
  tools: App['tools']
  close: () => Promise<void>
}

/** An answer in JSON; lists are not used. */
const Answer = v.record(v.string(), v.unknown())

/** Milliseconds that a stop waits for requests. */
const stopTimeout = 1_000

/**
 * An app for this command on a port of the loopback interface, so that its requests are like those of clients: the same
 * checks, audit trail and events. The operator's limits on clients do not apply.
 */
export async function openClient(context: CommandContext): Promise<Client> {
  const { pool, versions: states, clock } = context
  const rateLimits = { address: undefined, account: undefined }
  const config = { ...context.config, isRootSet: true, orgCreation: true, rateLimits }
  const log = createLog('error', process.stderr)
  const app = createApp({ config, pool, states, clock, log, secrets: await context.secrets() })
  app.limiter.open()
  const server = createServer(app.handle)
  const port = await listen(server, 0, '127.0.0.1')
  return {
    tools: app.tools,
    call: callsTo(`http://127.0.0.1:${port}`),
    close: async () => {
      await stop(server, stopTimeout)
      await app.close()
    },
  }
}

/** @throws SetupError when the answer is an error */
function callsTo(base: string): Call {
  return async (literal, body, headers = {}) => {
    const [method = '', path = ''] = literal.split(' ')
    const isBytes = Buffer.isBuffer(body)
    const response = await fetch(base + path, {
      method,
      headers: { 'content-type': isBytes ? 'application/octet-stream' : 'application/json', ...headers },
      ...(body && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new SetupError(`${literal} was answered with ${response.status}: ${text}`)
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    return isJson ? v.parse(Answer, JSON.parse(text)) : { text }
  }
}
