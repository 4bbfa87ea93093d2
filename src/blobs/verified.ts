import { createHash } from 'node:crypto'
import { StoreError } from './store-error.ts'

/**
 * The bytes of a whole content, whose checksum is compared with its name. The last chunk is withheld until the checksum is
 * right: a client that has received as many bytes as announced takes them for complete.
 * @throws StoreError
 */
export async function* verified(sha256: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let last: Buffer | undefined
  for await (const chunk of bytes) {
    hash.update(chunk)
    if (last) yield last
    last = chunk
  }
  if (hash.digest('hex') !== sha256)
    throw new StoreError('damaged', `the content ${sha256} is damaged: it has another checksum`)
  if (last) yield last
}
