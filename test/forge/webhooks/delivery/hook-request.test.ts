import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { type HookRequestInput, hookRequest } from '../../../../src/forge/webhooks/delivery/hook-request.ts'

const call: HookRequestInput = {
  uuid: '3f0c1d2e-0000-4000-8000-000000000001',
  request_id: null,
  event: 'pull_request',
  event_type: 'pull_request_label',
  body: '{\n  "a": "é&+ "\n}',
  scope: 'repository',
  type: 'gitea',
  url: 'https://example.org/hook?x=1',
  content_type: 'json',
  method: 'POST',
  secret: 'swordfish',
  authorization: 'Bearer sesame',
}

const hmac = (algorithm: string, key: string, text: string) =>
  createHmac(algorithm, key).update(text).digest('hex')

test('every header is sent under the names that receivers know', () => {
  const { headers } = hookRequest(call, 'Forgehall/1')
  assert.deepEqual(headers, {
    'Content-Type': 'application/json',
    'User-Agent': 'Forgehall/1',
    'X-Gitea-Delivery': call.uuid,
    'X-Gitea-Event': 'pull_request',
    'X-Gitea-Event-Type': 'pull_request_label',
    'X-Gogs-Delivery': call.uuid,
    'X-Gogs-Event': 'pull_request',
    'X-Gogs-Event-Type': 'pull_request_label',
    'X-GitHub-Delivery': call.uuid,
    'X-GitHub-Event': 'pull_request',
    'X-GitHub-Event-Type': 'pull_request_label',
    'X-Gitea-Hook-Installation-Target-Type': 'repository',
    'X-GitHub-Hook-Installation-Target-Type': 'repository',
    'X-Gitea-Signature': hmac('sha256', 'swordfish', call.body),
    'X-Gogs-Signature': hmac('sha256', 'swordfish', call.body),
    'X-Hub-Signature': `sha1=${hmac('sha1', 'swordfish', call.body)}`,
    'X-Hub-Signature-256': `sha256=${hmac('sha256', 'swordfish', call.body)}`,
    Authorization: 'Bearer sesame',
  })
})

test('the signature is the one of RFC 4231, test case 2', () => {
  const { headers } = hookRequest({ ...call, secret: 'Jefe', body: 'what do ya want for nothing?' }, 'x')
  const expected = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'
  assert.equal(headers['X-Gitea-Signature'], expected)
  assert.equal(headers['X-Hub-Signature'], 'sha1=effcdf6ae5eb2fa2d27416d5f184df9c259a7c79')
})

test('without a secret the signatures are empty; without an authorization there is no header', () => {
  const { headers } = hookRequest({ ...call, secret: '', authorization: '' }, 'x')
  assert.equal(headers['X-Gitea-Signature'], '')
  assert.equal(headers['X-Gogs-Signature'], '')
  assert.equal(headers['X-Hub-Signature'], 'sha1=')
  assert.equal(headers['X-Hub-Signature-256'], 'sha256=')
  assert.equal('Authorization' in headers, false)
})

test('json sends the text itself', () => {
  const { method, url, body } = hookRequest(call, 'x')
  assert.deepEqual([method, url.href, body], ['POST', 'https://example.org/hook?x=1', call.body])
})

test('form sends the text as payload and is signed like json', () => {
  for (const type of ['gitea', 'gogs']) {
    const { method, headers, body } = hookRequest({ ...call, type, content_type: 'form' }, 'x')
    assert.equal(method, 'POST')
    assert.equal(headers['Content-Type'], 'application/x-www-form-urlencoded')
    assert.equal(new URLSearchParams(body).get('payload'), call.body)
    assert.equal(headers['X-Gitea-Signature'], hmac('sha256', 'swordfish', call.body))
  }
})

test('GET sends the text in the query', () => {
  const { method, url, body, headers } = hookRequest({ ...call, method: 'GET' }, 'x')
  assert.deepEqual([method, body, headers['Content-Type']], ['GET', undefined, undefined])
  assert.equal(url.searchParams.get('x'), '1')
  assert.equal(url.searchParams.get('payload'), call.body)
})

test('chats get JSON, whatever content type the hook has', () => {
  const { method, headers, body } = hookRequest(
    { ...call, type: 'slack', content_type: 'form', method: 'GET' },
    'x',
  )
  assert.deepEqual([method, headers['Content-Type'], body], ['POST', 'application/json', call.body])
})

test('Matrix gets PUT with the delivery as transaction, so that a second arrival is no second message', () => {
  const room = 'https://m.example/_matrix/client/v3/rooms/!a:m.example/send/m.room.message'
  for (const address of [room, `${room}/`]) {
    const { method, url } = hookRequest({ ...call, type: 'matrix', url: address }, 'x')
    assert.deepEqual([method, url.href], ['PUT', `${room}/${call.uuid}`])
  }
})
