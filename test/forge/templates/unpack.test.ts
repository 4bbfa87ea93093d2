import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pack } from '../../../src/build/packed.ts'
import { unpack } from '../../../src/forge/templates/unpack.ts'

test('unpack() gives each text that pack() took, in the same order, whatever its bytes', async () => {
  const texts = new Map([
    ['b', 'zwei\n'],
    ['empty', ''],
    ['a', '木兰宽松许可证 \u{1F600}\r\n'],
    ['last', 'x'.repeat(70_000)],
  ])
  const unpacked = [...unpack(await pack(texts))].map(([name, text]) => [name, text()])
  assert.deepEqual(unpacked, [...texts])
})

test('unpack() reads nothing before a text is asked for', () => {
  const texts = unpack({ index: [['a', 1]], brotli: () => Buffer.from('no brotli stream') })
  assert.deepEqual([...texts.keys()], ['a'])
  assert.throws(() => texts.get('a')?.())
})
