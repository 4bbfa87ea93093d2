import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  MessageCutter,
  message,
  query,
  readStartup,
  rowsOf,
  startupPacket,
} from '../../src/embedded-postgres/protocol.ts'

const statements = [query('select 1'), message('S'), message('d', Buffer.alloc(300, 1)), query('select 2')]
const stream = Buffer.concat(statements)

suite('MessageCutter', () => {
  test('passes on whole messages however the bytes are split', () => {
    for (let size = 1; size <= stream.length; size += 1) {
      const cutter = new MessageCutter()
      const boundaries = new Set([
        0,
        ...statements.map((_, i) => Buffer.concat(statements.slice(0, i + 1)).length),
      ])
      let passed = Buffer.alloc(0)
      for (let at = 0; at < stream.length; at += size) {
        passed = Buffer.concat([passed, cutter.take(stream.subarray(at, at + size)) ?? Buffer.alloc(0)])
        assert.ok(boundaries.has(passed.length), `cut at ${passed.length} in pieces of ${size}`)
      }
      assert.deepEqual(passed, stream)
    }
  })

  test('passes on a message as soon as its last byte is there', () => {
    const cutter = new MessageCutter()
    const [first] = statements
    assert.ok(first)
    assert.equal(cutter.take(first.subarray(0, -1)), undefined)
    assert.deepEqual(cutter.take(stream.subarray(first.length - 1, first.length)), first)
  })

  test('ends at the goodbye and keeps it and all behind it to itself', () => {
    const cutter = new MessageCutter()
    assert.deepEqual(
      cutter.take(Buffer.concat([query('select 1'), message('X'), query('select 2')])),
      query('select 1'),
    )
    assert.ok(cutter.terminated)
  })

  test('takes a goodbye inside a message for what it is: data', () => {
    const cutter = new MessageCutter()
    const data = message('d', message('X'))
    assert.deepEqual(cutter.take(data), data)
    assert.ok(!cutter.terminated)
  })
})

suite('readStartup', () => {
  const packet = (code: number, ...words: string[]) => {
    const body = Buffer.from(words.map((word) => `${word}\0`).join(''))
    const head = Buffer.alloc(8)
    head.writeUInt32BE(8 + body.length)
    head.writeUInt32BE(code, 4)
    return Buffer.concat([head, body])
  }
  const version3 = 3 << 16

  test('reads the settings and leaves out what is fixed here', () => {
    const words = [
      'user',
      'u',
      'application_name',
      'a b',
      'database',
      'd',
      'statement_timeout',
      '5',
      'TimeZone',
      'UTC',
      '',
    ]
    assert.deepEqual(readStartup(packet(version3, ...words)), {
      kind: 'start',
      settings: [
        ['application_name', 'a b'],
        ['TimeZone', 'UTC'],
      ],
    })
    assert.deepEqual(readStartup(startupPacket('u', 'd')), { kind: 'start', settings: [] })
  })

  test('knows requests to encrypt, to cancel, and other versions', () => {
    assert.equal(readStartup(packet(80877103)).kind, 'encrypt')
    assert.equal(readStartup(packet(80877102)).kind, 'cancel')
    assert.equal(readStartup(packet(2 << 16)).kind, 'unknown')
  })
})

test('rowsOf reads the rows of a reply among its other messages', () => {
  const cell = (text: string | null) => {
    const bytes = Buffer.from(text ?? '')
    const length = Buffer.alloc(4)
    length.writeInt32BE(text === null ? -1 : bytes.length)
    return Buffer.concat([length, bytes])
  }
  const row = (...cells: (string | null)[]) =>
    message('D', Buffer.concat([Buffer.from([0, cells.length]), ...cells.map(cell)]))
  const reply = Buffer.concat([
    message('T', 'x'),
    row('a', null, 'ä'),
    row(),
    message('C', 'SELECT 2\0'),
    message('Z', 'I'),
  ])
  assert.deepEqual(rowsOf(reply), [['a', '', 'ä'], []])
})
