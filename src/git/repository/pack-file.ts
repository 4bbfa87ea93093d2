import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { ObjectFormat, ObjectType } from './write-objects.ts'

/** The numbers of types of objects in a pack. */
const typeNumbers: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 }

/** A pack of these objects (gitformat-pack(5)). */
export function packOf(
  format: ObjectFormat,
  objects: readonly { type: ObjectType; content: Buffer }[],
): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  head.writeUInt32BE(objects.length, 8)
  const entries = objects.flatMap(({ type, content }) => [headOf(type, content.length), deflateSync(content)])
  const pack = Buffer.concat([head, ...entries])
  return Buffer.concat([pack, createHash(format).update(pack).digest()])
}

/** Type and size: four bits of the size in the first byte, then seven in each. */
function headOf(type: ObjectType, size: number): Buffer {
  const bytes = [(typeNumbers[type] << 4) | (size & 0xf)]
  for (let rest = size >> 4; rest > 0; rest >>= 7) bytes.push((bytes.pop() ?? 0) | 0x80, rest & 0x7f)
  return Buffer.from(bytes)
}
