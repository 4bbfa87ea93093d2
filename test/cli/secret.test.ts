import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openHome, runBinary, type Serving, serveBinary, stopBinary } from '../support/binary.ts'
import { basic } from '../support/forge/make.ts'

let serving: Serving | undefined
after(() => serving && stopBinary(serving))
const home = await openHome()

const [old, young] = ['the old key which is long enough for one', 'the new key which is long enough for one']
const administrator = { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'wished for it' }
const under = (...keys: readonly (string | undefined)[]) => ({
  ...home.environment,
  ...administrator,
  SECRET_KEY: keys.join(),
})

/** The server again, under other keys. */
async function serve(...keys: readonly (string | undefined)[]): Promise<void> {
  if (serving) await stopBinary(serving)
  serving = await serveBinary(under(...keys))
}

/** The same, where the key that the database needs is lost. */
async function serveDespiteLoss(key: string): Promise<void> {
  if (serving) await stopBinary(serving)
  serving = await serveBinary({ ...under(key), SECRET_KEY_LOST: 'accept' })
}

const put = async (name: string) => {
  const response = await fetch(`${serving?.url}/api/v1/user/actions/secrets/${name}`, {
    method: 'PUT',
    headers: { ...basic('root', 'wished for it'), 'content-type': 'application/json' },
    body: JSON.stringify({ data: `what ${name} holds` }),
  })
  return response.status
}

const linesOf = (actions: string) => [
  'addresses of webhooks: 0 encrypted again, 0 needed no change',
  'addresses in the history of webhooks: 0 encrypted again, 0 needed no change',
  'secrets of webhooks: 0 encrypted again, 0 needed no change',
  'authorization headers of webhooks: 0 encrypted again, 0 needed no change',
  'secrets of one-time codes: 0 encrypted again, 0 needed no change',
  'registration tokens of runners: 0 encrypted again, 0 needed no change',
  'answers under idempotency keys: 0 encrypted again, 0 needed no change',
  'secrets that jobs received: 0 encrypted again, 0 needed no change',
  `secrets of Actions: ${actions}`,
]
const said = (...lines: string[]) => lines.map((line) => `${line}\n`).join('')
const well = 'all secrets are encrypted with the first key'

test('secret rekey brings everything under the first key while the server runs, so that the old one can be dropped', async () => {
  await serve(old)
  for (const name of ['A', 'B', 'C']) assert.equal(await put(name), 201)
  await serve(young, old)
  assert.equal(await put('B'), 204)
  const { code, out, err } = await runBinary(['secret', 'rekey'], under(young, old))
  assert.deepEqual([code, out, err], [0, said(...linesOf('2 encrypted again, 1 needed no change'), well), ''])
  await serve(young)
  const again = await runBinary(['secret', 'rekey'], under(young))
  assert.deepEqual(
    [again.code, again.out],
    [0, said(...linesOf('0 encrypted again, 3 needed no change'), well)],
  )
})

const third = 'yet another key also long enough for one'

test('secret rekey names what no key opens, and fails', async () => {
  await serveDespiteLoss(third)
  const { code, out, err } = await runBinary(['secret', 'rekey'], under(third))
  assert.equal(code, 1)
  const why = 'cannot be decrypted: it was encrypted with a key that SECRET_KEY does not hold'
  const numbers = [1, 2, 3].map((number) => `  number ${number} ${why}`)
  assert.equal(out, said(...linesOf('0 encrypted again, 0 needed no change'), ...numbers))
  assert.equal(err, 'forgehall: 3 of them cannot be decrypted and stay as they are\n')
})

test('secret rekey takes no words', async () => {
  const { code, err } = await runBinary(['secret', 'rekey', 'all'], under(third))
  assert.deepEqual([code, err], [2, 'forgehall: this command takes no arguments\n'])
})
