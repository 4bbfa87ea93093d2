import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { listenOn } from '../../../src/cli/serve/port.ts'
import { OperatorError } from '../../../src/common/errors.ts'
import { configure } from '../../../src/config.ts'

/** A server whose system refuses to listen. */
function refusedWith(code: string) {
  const server = createServer()
  server.listen = () => {
    server.emit('error', Object.assign(new Error(code), { code }))
    return server
  }
  return server
}

for (const [code, exitCode, sentence] of [
  // Another start may succeed by itself.
  ['EADDRINUSE', 1, /set PORT to a free one$/],
  ['EADDRNOTAVAIL', 1, /set HOST to an address of this machine$/],
  ['EACCES', 2, /set PORT to a number above 1023$/],
] as const)
  test(`a port that the system refuses with ${code} ends the program with ${exitCode}`, async () => {
    const configured = configure({ PORT: '80' })
    assert.ok('config' in configured)
    const listening = listenOn(refusedWith(code), configured.config)
    await assert.rejects(listening, (error: unknown) => {
      assert.ok(error instanceof OperatorError)
      assert.match(error.message, sentence)
      assert.equal(error.exitCode, exitCode)
      return true
    })
  })
