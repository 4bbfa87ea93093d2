import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { bareAddress } from '../../../src/http/server/addresses.ts'
import { Origin } from '../../../src/http/server/origin.ts'
import { parseProxies } from '../../../src/http/server/proxies.ts'

/** A request from a peer with these headers. */
function originOf(peer: string, trust: string, headers: Record<string, string>, given = false): Origin {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: peer })
  const req = new IncomingMessage(socket)
  req.rawHeaders = Object.entries(headers).flat()
  const proxies = parseProxies(trust)
  assert.ok(proxies)
  return new Origin(req, 'id', { root: 'https://given.example/', isRootSet: given, proxies })
}

for (const [trust, address, expected] of [
  ['loopback', '127.0.0.1', true],
  ['loopback', '127.9.9.9', true],
  ['loopback', '::1', true],
  ['loopback', '10.0.0.1', false],
  ['none', '127.0.0.1', false],
  ['private', '192.168.3.4', true],
  ['private', '172.32.0.1', false],
  ['private', 'fd00::1', true],
  ['10.1.0.0/16', '10.1.255.255', true],
  ['10.1.0.0/16', '10.2.0.0', false],
  ['10.1.2.3', '10.1.2.3', true],
  ['10.1.2.3', '10.1.2.4', false],
  [' Loopback , 2001:db8::/32 ', '2001:db8::7', true],
  ['loopback', 'nonsense', false],
  ['loopback', '', false],
] as const) {
  test(`TRUST_PROXY=${trust} ${expected ? 'trusts' : 'does not trust'} "${address}"`, () => {
    assert.equal(parseProxies(trust)?.trusts(address), expected)
  })
}

for (const text of [
  '',
  'anybody',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0/8',
  '::1/129',
  'loopback,,private',
  'none,10.0.0.1',
  'loopback,none',
  '10.0.0.0/x',
  '10.0.0.0/-1',
  'constructor',
]) {
  test(`TRUST_PROXY=${text} is refused`, () => assert.equal(parseProxies(text), undefined))
}

test('bareAddress() returns the IPv4 address of a client on an IPv6 socket', () => {
  assert.equal(bareAddress('::ffff:127.0.0.1'), '127.0.0.1')
  assert.equal(bareAddress('::FFFF:10.0.0.1'), '10.0.0.1')
  assert.equal(bareAddress('::ffff:7f00:1'), '::ffff:7f00:1')
  assert.equal(bareAddress('::1'), '::1')
})

for (const [peer, trust, forwarded, expected] of [
  ['9.9.9.9', 'loopback', '1.1.1.1', '9.9.9.9'],
  ['127.0.0.1', 'loopback', '1.1.1.1', '1.1.1.1'],
  ['::ffff:127.0.0.1', 'loopback', '1.1.1.1', '1.1.1.1'],
  ['127.0.0.1', 'loopback', '6.6.6.6, 1.1.1.1', '1.1.1.1'],
  ['127.0.0.1', 'loopback,10.0.0.0/8', '6.6.6.6, 1.1.1.1, 10.0.0.1', '1.1.1.1'],
  ['127.0.0.1', 'loopback', '2001:db8::1', '2001:db8::1'],
  ['127.0.0.1', 'loopback', 'unknown', '127.0.0.1'],
  ['127.0.0.1', 'loopback', '1.1.1.1; drop table', '127.0.0.1'],
  ['127.0.0.1', 'loopback', '', '127.0.0.1'],
  ['127.0.0.1', 'loopback', '127.0.0.2', '127.0.0.1'],
] as const) {
  test(`the client behind ${peer} with X-Forwarded-For "${forwarded}" is ${expected}`, () => {
    assert.equal(originOf(peer, trust, { 'X-Forwarded-For': forwarded }).address, expected)
  })
}

test('a proxy that adds a line of X-Forwarded-For of its own is believed, not the line of the client above it', () => {
  const two = { 'X-Forwarded-For': '6.6.6.6', 'x-forwarded-for': '7.7.7.7, 1.1.1.1' }
  assert.equal(originOf('127.0.0.1', 'loopback', two).address, '1.1.1.1')
})

for (const [headers, expected] of [
  [{ Host: 'forge.example' }, 'http://forge.example/'],
  [{ Host: 'forge.example:8443', 'X-Forwarded-Proto': 'https' }, 'https://forge.example:8443/'],
  [{ Host: '[::1]:3000' }, 'http://[::1]:3000/'],
  [{ Host: 'forge.example', 'X-Forwarded-Proto': 'HTTPS' }, 'https://forge.example/'],
  [{ Host: 'forge.example', 'X-Forwarded-Proto': 'javascript' }, 'http://forge.example/'],
  [{ Host: 'forge.example/x' }, 'https://given.example/'],
  [{ Host: 'a b' }, 'https://given.example/'],
  [{ Host: '"><script>' }, 'https://given.example/'],
  [{ Host: 'user@host' }, 'https://given.example/'],
  [{}, 'https://given.example/'],
] as const) {
  test(`links of a request with ${JSON.stringify(headers)} start with ${expected}`, () => {
    assert.equal(originOf('127.0.0.1', 'loopback', headers).host, expected)
    assert.equal(originOf('127.0.0.1', 'loopback', headers, true).host, 'https://given.example/')
  })
}
