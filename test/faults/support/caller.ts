import { Agent as HttpAgent, type RequestOptions, request } from 'node:http'
import { Agent as HttpsAgent, request as requestTls } from 'node:https'

/** How long a caller waits for an answer, in milliseconds. */
const patience = 30_000

/** Where requests go: a port of 127.0.0.1, with TLS when a certificate is to be trusted. */
export interface Target {
  port: number
  ca?: string
}

/** A client with one keep-alive connection, which is opened anew after it failed. */
export interface Caller {
  /** Sends one request and waits for its whole answer. Gives its status, or how the connection failed. */
  ask: (method: string, path: string, body?: unknown) => Promise<string>
  close: () => void
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection ended',
  EPIPE: 'connection ended',
  ETIMEDOUT: `no answer in ${patience / 1000} s`,
}

/** A caller of a server, or of the nginx in front of it under the name that its configuration has. */
export function openCaller({ port, ca }: Target): Caller {
  const one = { keepAlive: true, maxSockets: 1 }
  const agent = ca === undefined ? new HttpAgent(one) : new HttpsAgent({ ...one, ca })
  const send = ca === undefined ? request : requestTls
  const where: RequestOptions = { host: '127.0.0.1', port, agent }
  const name = 'forge.example.org'
  const ask: Caller['ask'] = (method, path, body) =>
    new Promise((resolve) => {
      const headers = { host: name, ...(body !== undefined && { 'content-type': 'application/json' }) }
      const options = { ...where, method, path, headers, ...(ca !== undefined && { servername: name }) }
      const sent = send(options, (answer) => {
        answer.resume()
        answer.once('end', () => resolve(String(answer.statusCode)))
        answer.once('error', (error) => resolve(failureOf(error)))
      })
      const late = setTimeout(() => sent.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })), patience)
      sent.once('close', () => clearTimeout(late))
      sent.once('error', (error) => resolve(failureOf(error)))
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  return { ask, close: () => agent.destroy() }
}

function failureOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : error.message
  return failures[code] ?? code
}
