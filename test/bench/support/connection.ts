import { connect } from 'node:net'
import { AnswerReader } from './answer-reader.ts'

/** What a connection asks, and who hears the answers. */
export interface Asking {
  port: number
  /** The next request as bytes to send; undefined: no more, the connection ends. */
  next: () => string | Buffer | undefined
  /** Called with each status, in the order of the requests. */
  answered: (status: number) => void
}

/**
 * One keep-alive connection with one request under way at a time: the next is sent when the last is answered (a closed
 * loop, no pipelining). Built on the bare socket, because the generator must cost less than the servers it measures.
 * Gives whether it ended by itself; false when the server closed it.
 */
export function keepAsking({ port, next, answered }: Asking): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let done = false
    const ask = () => {
      const request = next()
      if (request !== undefined) return socket.write(request)
      done = true
      socket.end()
      return false
    }
    const reader = new AnswerReader((status) => {
      answered(status)
      ask()
    })
    const socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      // One buffer for the life of the connection; a stream of fresh ones would cost half of the work.
      onread: {
        buffer: Buffer.allocUnsafe(64 * 1024),
        callback: (length, buffer) => {
          try {
            reader.feed(buffer as Buffer, length)
          } catch (error) {
            socket.destroy()
            reject(error)
          }
          return true
        },
      },
    })
    socket.once('connect', ask)
    socket.on('error', () => {})
    socket.once('close', () => resolve(done))
  })
}

/** A request as the bytes of HTTP/1.1. */
export function requestText(
  method: string,
  path: string,
  body?: string,
  authorization?: string,
  encoding?: string,
): string {
  const who = authorization === undefined ? '' : `Authorization: ${authorization}\r\n`
  const how = encoding === undefined ? '' : `Accept-Encoding: ${encoding}\r\n`
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${who}${how}`
  if (body === undefined) return `${head}\r\n`
  return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
