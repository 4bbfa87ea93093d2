import assert from 'node:assert/strict'
import { test } from 'node:test'
import { charsetOf, decodedText, examined } from '../../src/common/charset.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')

/** Bytes, and the text in them; undefined: they are no text. */
const cases: readonly (readonly [string, Buffer, string | undefined])[] = [
  ['nothing', Buffer.alloc(0), ''],
  ['UTF-8', Buffer.from('grüße €'), 'grüße €'],
  ['UTF-8 with a mark', Buffer.from('\ufeffgrüße'), 'grüße'],
  ['UTF-16LE', Buffer.from('\ufeffgrüße\nx', 'utf16le'), 'grüße\nx'],
  ['UTF-16BE', Buffer.from('\ufeffgrüße\nx', 'utf16le').swap16(), 'grüße\nx'],
  ['UTF-32 with a mark', latin1('\xff\xfe\0\0h\0\0\0'), undefined],
  ['a NUL', latin1('a\0b'), undefined],
  ['a NUL after the beginning', latin1(`${'a'.repeat(examined)}\0`), undefined],
  ['UTF-8 in the beginning only', latin1(`${'a'.repeat(examined)} caf\xe9`), `${'a'.repeat(examined)} café`],
  ['Latin-1', latin1('caf\xe9 \xe0 la cr\xe8me, d\xe9j\xe0 vu'), 'café à la crème, déjà vu'],
  ['Windows-1252', latin1('it\x92s \x93quoted\x94 \x96 \x805'), 'it’s “quoted” – €5'],
  ...['café', 'Straße', 'España', 'Müller', 'Größe: 5 µm', 'déjà vu, São Paulo'].map(
    (text) => [`${text} in Latin-1`, latin1(text), text] as const,
  ),
  [
    'Shift-JIS',
    latin1('\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96{\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xc5\x82\xb7\x81B'),
    'これは日本語の文章です。',
  ],
  [
    'KOI8-R',
    latin1(
      '\xf0\xd2\xcf\xc7\xd2\xc1\xcd\xcd\xc1, \xcb\xcf\xd4\xcf\xd2\xd5\xc0 \xcd\xcf\xd6\xce\xcf \xd0\xd2\xcf\xde\xc9\xd4\xc1\xd4\xd8',
    ),
    'Программа, которую можно прочитать',
  ],
]

for (const [name, bytes, text] of cases)
  test(`the text of ${name}`, () => {
    assert.equal(decodedText(bytes), text)
  })

test('any bytes are a text or none, and keep their lines', () => {
  for (let seed = 1; seed <= 2000; seed++) {
    const bytes = Buffer.from(
      Array.from({ length: seed % 97 }, (_, at) => 1 + ((seed * 31 + at * (seed % 251)) % 255)),
    )
    const text = decodedText(bytes)
    if (text === undefined || charsetOf(bytes) === 'utf-16') continue
    assert.equal(text.split('\n').length, bytes.toString('latin1').split('\n').length, bytes.toString('hex'))
  }
})
