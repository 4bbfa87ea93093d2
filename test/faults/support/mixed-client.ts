import { Agent, request } from 'node:http'

/** How long a caller waits for an answer, in milliseconds. */
const patience = 30_000

export interface Answer {
  /** The status, or the code with which the connection failed. */
  outcome: string
  text: string
}

/** A client of 127.0.0.1 with one keep-alive connection. */
export interface Client {
  send: (method: string, path: string, body?: unknown, type?: string) => Promise<Answer>
  close: () => void
}

/** A client that sends these headers with each request. A body that is no buffer is sent as JSON. */
export function asker(port: number, always: Readonly<Record<string, string>>): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send: Client['send'] = (method, path, body, type = 'application/json') =>
    new Promise((resolve) => {
      const headers = { ...always, ...(body !== undefined && { 'content-type': type }) }
      const options = { port, host: '127.0.0.1', agent, method, path, headers, timeout: patience }
      const fail = (error: Error) =>
        resolve({ outcome: 'code' in error ? String(error.code) : error.message, text: '' })
      const sent = request(options, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        answer.once('end', () => resolve({ outcome: String(answer.statusCode), text })).once('error', fail)
      })
      sent.once('timeout', () => sent.destroy(new Error('no answer'))).once('error', fail)
      sent.end(body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body))
    })
  return { send, close: () => agent.destroy() }
}
