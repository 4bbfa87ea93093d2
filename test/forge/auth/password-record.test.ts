import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatRecord, parseRecord } from '../../../src/forge/auth/password-record.ts'

const salt = Buffer.alloc(16, 0xab)
const hash = Buffer.alloc(32, 0xcd)
const text = formatRecord({ cost: { ln: 15, r: 8, p: 3 }, salt, hash })

test('a record is one text in the PHC format, without padding', () => {
  assert.equal(text, `$scrypt$ln=15,r=8,p=3$q6urq6urq6urq6urq6urqw$${'zc3N'.repeat(10)}zc0`)
})

test('a record reads back as it was', () => {
  assert.deepEqual(parseRecord(text), { cost: { ln: 15, r: 8, p: 3 }, salt, hash })
})

for (const [what, broken] of [
  ['the empty text', ''],
  ['a clear password', 'secret'],
  ['another algorithm', text.replace('scrypt', 'argon2id')],
  ['a missing parameter', text.replace(',p=3', '')],
  ['parameters in another order', text.replace('ln=15,r=8', 'r=8,ln=15')],
  ['a cost of zero', text.replace('ln=15', 'ln=0')],
  ['a negative cost', text.replace('ln=15', 'ln=-1')],
  ['a cost in hex', text.replace('ln=15', 'ln=0xf')],
  ['more memory than allowed', text.replace('ln=15', 'ln=21')],
  ['bigger blocks than allowed', text.replace('r=8', 'r=17')],
  ['more lanes than allowed', text.replace('p=3', 'p=17')],
  ['no salt', text.replace(/\$q6[^$]*/, '$')],
  ['no hash', text.replace(/\$zc3[^$]*$/, '$')],
  ['a short hash', text.replace(/\$zc3[^$]*$/, '$AAAA')],
  ['something after it', `${text}$`],
  ['a line break after it', `${text}\n`],
  ['something before it', ` ${text}`],
] as const) {
  test(`parseRecord() does not know ${what}`, () => {
    assert.equal(parseRecord(broken), undefined)
  })
}
