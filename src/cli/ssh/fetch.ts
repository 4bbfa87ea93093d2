import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Input, isFlush } from './input.ts'
import { accepted, type Server } from './server.ts'

/** A client that has got the first answer of the service, and its repository below which requests are sent. */
export interface Conversation {
  server: Server
  /** `/owner/name.git`. */
  path: string
  input: Input
  output: Writable
}

/** Maximum bytes of a request in version 2; the server accepts no more. */
const maxRequest = 32 * 1024 * 1024

/** Version 2: the client sends one complete request after another (gitprotocol-v2(5)), as over HTTP. */
export async function fetchByRequests({ server, path, input, output }: Conversation): Promise<void> {
  for (;;) {
    const body = await input.untilFlush(maxRequest)
    if (!body || isFlush(body)) return
    const headers = { 'Content-Type': 'application/x-git-upload-pack-request' }
    const answer = await server.send('POST', `${path}/git-upload-pack`, { headers, body })
    await pipeline(answer, output, { end: false })
  }
}

/** Versions 0 and 1: git and the client take turns until the client says `done` (gitprotocol-pack(5)). */
export async function fetchByTurns({ server, path, input, output }: Conversation): Promise<void> {
  const first = await input.packet()
  if (!first || isFlush(first)) return
  const headers = { 'Content-Type': 'application/x-git-upload-pack-conversation' }
  const { outgoing, answered } = await server.begin('POST', `${path}/git-upload-pack`, headers)
  const sent = async () => {
    for (let packet: Buffer | undefined = first; packet; packet = await input.packet()) {
      outgoing.write(packet)
      if (isDone(packet)) break
    }
    outgoing.end()
  }
  const received = answered.then(accepted).then((answer) => pipeline(answer, output, { end: false }))
  await Promise.race([received, sent().then(() => received)])
}

const isDone = (packet: Buffer) => /^done\n?$/.test(packet.toString('latin1', 4))
