import assert from 'node:assert/strict'
import { crc32 as checksum, inflateRawSync } from 'node:zlib'

/** The files of a zip archive by name, read from its central directory (APPNOTE.TXT, section 4.3.12). */
export function filesOf(archive: Buffer): Record<string, string> {
  const end = archive.lastIndexOf(Buffer.from('504b0506', 'hex'))
  assert.ok(end >= 0, 'the archive has an end')
  const files: Record<string, string> = {}
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    assert.equal(archive.readUInt32LE(at), 0x02014b50)
    const [name, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset))
    const place = archive.readUInt32LE(at + 42)
    const start = place + 30 + archive.readUInt16LE(place + 26) + archive.readUInt16LE(place + 28)
    const content = inflateRawSync(archive.subarray(start, start + archive.readUInt32LE(at + 20)))
    assert.equal(archive.readUInt32LE(at + 16), checksum(content))
    files[archive.toString('utf8', at + 46, at + 46 + (name ?? 0))] = content.toString()
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  return files
}
