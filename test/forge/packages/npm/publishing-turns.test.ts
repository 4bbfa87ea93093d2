import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { openRaw, type RawConnection } from '../../../support/raw.ts'
import { until } from '../../../support/wait.ts'

const { url, make } = await startApp()
const [ada, bob] = await make.people('ada', 'bob')

/** A publication whose body does not arrive. */
async function begin({ name, authorization }: { name: string; authorization: string }, tool: string) {
  const raw = await openRaw(url)
  raw.write(
    `PUT /api/packages/${name}/npm/${tool} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n`,
  )
  raw.write('Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n')
  await until('it is answered', () => raw.received() !== '')
  return raw
}

const statusOf = ({ received }: RawConnection) => received().slice(9, 12)

test('PUT /api/packages/{owner}/npm/{name}: one account holds half of the documents that are read at a time', async () => {
  const held = await Promise.all(['a', 'b', 'c', 'd'].map((tool) => begin(ada, tool)))
  assert.deepEqual(held.map(statusOf), ['100', '100', '100', '100'])
  const refused = await begin(ada, 'e')
  const others = await begin(bob, 'a')
  assert.deepEqual([statusOf(refused), statusOf(others)], ['503', '100'])
  for (const { socket } of [...held, refused, others]) socket.destroy()
  await until('there is room', async () => {
    const raw = await begin(ada, 'e')
    raw.socket.destroy()
    return statusOf(raw) === '100'
  })
})
