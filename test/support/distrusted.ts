import { once } from 'node:events'
import { createServer } from 'node:net'
import type { TestContext } from 'node:test'
import { TLSSocket } from 'node:tls'

/** A certificate that it has signed itself, and its key: nobody trusts it, so it is no secret. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgT9T+R0adyzGV3+s/
5PX142DmxU2vCWLXmOcmqmX7I72hRANCAASh28Ga/NTo5zas58Zutt0176GuwDve
AltIKpxATtMFOwE4DXN6QS7NscY5THj3i7E+i0XzY2eM1IznUAIUYXK6
-----END PRIVATE KEY-----`
const cert = `-----BEGIN CERTIFICATE-----
MIIBeTCCAR+gAwIBAgIUL1iI4ktmN6LJ8/LwcP+yq6yh1HswCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGbm9ib2R5MCAXDTI2MTEyMzA3MTExMloYDzIxMjYxMDMwMDcx
MTEyWjARMQ8wDQYDVQQDDAZub2JvZHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AASh28Ga/NTo5zas58Zutt0176GuwDveAltIKpxATtMFOwE4DXN6QS7NscY5THj3
i7E+i0XzY2eM1IznUAIUYXK6o1MwUTAdBgNVHQ4EFgQUaQQ0OdoYDdAUblOVcC8M
8sPvufowHwYDVR0jBBgwFoAUaQQ0OdoYDdAUblOVcC8M8sPvufowDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAioh+OqWPh1v/2sLP8q5YMlbKn3xyM
CVmFe40Lcu3bdgIhAOnVZCzNpu30L8oyxves45Q4PMUaVr9QkH6KFTcF6YHd
-----END CERTIFICATE-----`

/** For servers of other protocols. */
export const distrusted = { key, cert }

/** Begins encrypted connections as PostgreSQL does, under that certificate; gives its port. */
export async function startDistrusted(t: TestContext): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    // The request for TLS, and the `S` of who has it (PostgreSQL, section 55.2.10).
    socket.once('data', () => {
      socket.write('S')
      new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => {})
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
