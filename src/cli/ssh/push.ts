import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { PacketReader } from '../../git/http/pkt-line.ts'
import type { Conversation } from './fetch.ts'
import { ClientError, type Input, isFlush } from './input.ts'
import { accepted } from './server.ts'

/** Maximum bytes of the commands of a push; the server accepts no more. */
const maxCommands = 4 * 1024 * 1024

/** Up to so many bytes a push is sent with its length, as git clients do over HTTP (`http.postBuffer`). */
const maxHeld = 1_000_000

/** A push: the commands and the pack are the body of one request, as over HTTP. */
export async function push({ server, path, input, output }: Conversation): Promise<void> {
  const body = bodyOf(input)
  const held: Buffer[] = []
  let size = 0
  let isWhole = false
  while (size <= maxHeld && !isWhole) {
    const { done, value } = await body.next()
    if (done) isWhole = true
    else {
      held.push(value)
      size += value.length
    }
  }
  // The client has nothing to push, or has left.
  if (size <= 4) return
  const headers = { 'Content-Type': 'application/x-git-receive-pack-request' }
  const post = `${path}/git-receive-pack`
  if (isWhole) {
    const answer = await server.send('POST', post, { headers, body: Buffer.concat(held) })
    return pipeline(answer, output, { end: false })
  }
  const { outgoing, answered } = await server.begin('POST', post, headers)
  outgoing.write(Buffer.concat(held))
  const received = answered.then(accepted).then((answer) => pipeline(answer, output, { end: false }))
  const sent = pipeline(body, outgoing).catch((error: unknown) => {
    if (error instanceof ClientError) throw error
  })
  // The server may refuse before it has read the pack.
  await Promise.race([received, sent.then(() => received)])
}

/** The commands and the pack. A client need not end its side after the pack: it waits for the report. */
async function* bodyOf(input: Input): AsyncGenerator<Buffer, undefined> {
  const commands = await input.untilFlush(maxCommands)
  if (!commands) return undefined
  yield commands
  if (isFlush(commands)) return undefined
  const { capabilities, hasPack } = factsOf(commands)
  const options = capabilities.includes('push-options') ? await input.untilFlush(maxCommands) : undefined
  if (options) yield options
  if (!hasPack) return undefined
  const end = packEnd(capabilities.includes('object-format=sha256') ? 'sha256' : 'sha1')
  for (let chunk = await input.chunk(); chunk; chunk = await input.chunk()) {
    yield chunk
    if (end(chunk)) return undefined
  }
  return undefined
}

/** The capabilities that the client names, and whether a pack follows: not if refs are only deleted. */
function factsOf(commands: Buffer): { capabilities: readonly string[]; hasPack: boolean } {
  const lines = new PacketReader()
    .read(commands)
    .flatMap((packet) => (packet.kind === 'data' ? [packet.payload.toString('latin1').trimEnd()] : []))
  const capabilities = lines.flatMap((line) => line.split('\0')[1]?.trim().split(' ') ?? [])
  const hasPack = lines.some((line) => /^[0-9a-f]+ (?!0+ )[0-9a-f]+ /.test(line))
  return { capabilities, hasPack }
}

/**
 * Tells after which chunk a pack is complete: its last bytes are the hash of those before (gitformat-pack(5)). A client
 * that waits for the report has sent nothing after them.
 */
function packEnd(algorithm: 'sha1' | 'sha256'): (chunk: Buffer) => boolean {
  const hash = createHash(algorithm)
  const length = algorithm === 'sha1' ? 20 : 32
  let tail: Buffer = Buffer.alloc(0)
  return (chunk) => {
    const bytes = Buffer.concat([tail, chunk])
    const at = Math.max(0, bytes.length - length)
    hash.update(bytes.subarray(0, at))
    tail = bytes.subarray(at)
    return tail.length === length && hash.copy().digest().equals(tail)
  }
}
