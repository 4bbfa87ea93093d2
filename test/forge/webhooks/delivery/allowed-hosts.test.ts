import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAllowedHosts } from '../../../../src/forge/webhooks/delivery/allowed-hosts.ts'

function allowed(list: string) {
  const parsed = parseAllowedHosts(list)
  if (!parsed.ok) throw new Error(parsed.fault)
  return (address: string, host = address) => parsed.value.admits(address, host)
}

const kinds: Readonly<Record<string, readonly string[]>> = {
  external: [
    ...[
      '1.1.1.1',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
    ],
    ...[
      '128.0.0.1',
      '169.253.255.255',
      '169.255.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '192.0.1.0',
      '192.0.3.1',
    ],
    ...['192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
    ...['2606:4700:4700::1111', '2a00:1450::1', '2001:200::1', '2001:4860:4860::8888', '::ffff:8.8.8.8'],
  ],
  private: [
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.255.255',
  ].concat(['fc00::1', 'fd12:3456:789a::1', '::ffff:10.1.2.3', '::ffff:a01:203']),
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  // Neither public nor private nor loopback: only a network or * lets them in.
  special: [
    ...['0.0.0.0', '0.1.2.3', '100.64.0.1', '100.127.255.255', '100.100.100.200', '169.254.0.1'],
    ...[
      '169.254.169.254',
      '168.63.129.16',
      '192.0.0.1',
      '192.0.0.192',
      '192.0.2.1',
      '192.88.99.1',
      '198.18.0.1',
    ],
    ...['198.19.255.255', '198.51.100.7', '203.0.113.9', '224.0.0.1', '239.255.255.255', '240.0.0.1'],
    ...['255.255.255.255', '::', '::2', '::8.8.8.8', '::ffff:0.0.0.0', '::ffff:169.254.169.254', '100::1'],
    ...['64:ff9b::8.8.8.8', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1', '2001::1', '2001:db8::1', '2002:7f00:1::1'],
    ...['3fff::1', '4000::1', 'fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1', '::ffff:0:127.0.0.1'],
  ],
}

for (const word of ['external', 'private', 'loopback']) {
  test(`${word} contains its networks and nothing else`, () => {
    const admits = allowed(word)
    for (const [kind, addresses] of Object.entries(kinds)) {
      for (const address of addresses) assert.equal(admits(address), kind === word, `${address} is ${kind}`)
    }
  })
}

test('* contains every address', () => {
  const admits = allowed('*')
  for (const address of Object.values(kinds).flat()) assert.equal(admits(address), true, address)
})

test('a text that is not an address is never allowed', () => {
  const admits = allowed('*')
  for (const text of [
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    'fe80::1%eth0',
    '::1%lo',
    '[::1]',
    '1.2.3.4:80',
  ]) {
    assert.equal(admits(text, 'example.org'), false, text)
  }
})

/** The way of a URL to the check: the host as URL writes it, where it is an address. */
const hostOf = (url: string) => new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')

test('every spelling of an internal address in a URL is that address', () => {
  const admits = allowed('external')
  const spellings = [
    ...['http://127.0.0.1/', 'http://127.1/', 'http://127.0.1/', 'http://2130706433/', 'http://0x7f000001/'],
    ...[
      'http://0x7f.1/',
      'http://0177.0.0.1/',
      'http://017700000001/',
      'http://0x7F.0.0.0x1/',
      'http://127.0.0.1./',
    ],
    ...['http://example.org@127.0.0.1/', 'http://8.8.8.8:80@127.0.0.1/', 'http://127.0.0.1#@8.8.8.8/'],
    ...[
      'http://127.0.0.1\\@8.8.8.8/',
      'http://①②⑦.0.0.1/',
      'http://127。0。0。1/',
      'http://%31%32%37.0.0.1/',
    ],
    ...['http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/', 'http://[0:0::1]/'],
    ...['http://[::127.0.0.1]/', 'http://[fe80::1]/', 'http://[fd00:ec2::254]/', 'http://2852039166/'],
    ...[
      'http://169.254.169.254/latest',
      'http://0xa9fea9fe/',
      'http://0/',
      'http://0.0.0.0/',
      'http://10.1/',
    ],
    ...['http://[64:ff9b::7f00:1]/', 'http://[2002:7f00:1::]/'],
  ]
  for (const url of spellings) {
    const host = hostOf(url)
    assert.match(host, /^[\d.]+$|:/, `${url} is an address`)
    assert.equal(admits(host), false, url)
  }
})

test('a name has no effect unless it is listed', () => {
  const admits = allowed('external')
  for (const name of ['localhost', 'localhost.', 'LOCALHOST', 'example.org', 'metadata.google.internal']) {
    assert.equal(admits('127.0.0.1', name), false, name)
    assert.equal(admits('8.8.8.8', name), true, name)
  }
})

test('a listed name may resolve to any address; case and the last dot do not matter', () => {
  const admits = allowed('*.Intern.example, build-?, localhost.')
  const admitted = [
    'ci.intern.example',
    'CI.INTERN.EXAMPLE.',
    'a.b.intern.example',
    'build-1',
    'localhost',
    'LocalHost.',
  ]
  for (const name of admitted) assert.equal(admits('10.0.0.1', name), true, name)
  const refused = ['intern.example', 'intern.example.evil.org', 'build-10', 'xbuild-1', 'localhost.evil.org']
  for (const name of refused) assert.equal(admits('10.0.0.1', name), false, name)
  assert.equal(admits('8.8.8.8', 'example.org'), false, 'the list is the whole list')
})

test('a name with wildcards does not match addresses', () => {
  const admits = allowed('1*, *1')
  for (const address of ['10.0.0.1', '127.0.0.1', '::1']) assert.equal(admits(address), false, address)
})

test('networks and addresses, alone and together with keywords', () => {
  const admits = allowed('loopback,10.1.0.0/16 , 192.0.2.7, fd00:1::/32,2001:db8::5,169.254.169.254')
  const admitted = [
    '127.0.0.1',
    '10.1.0.0',
    '10.1.255.255',
    '192.0.2.7',
    'fd00:1::9',
    '2001:db8::5',
    '::ffff:10.1.2.3',
  ]
  for (const address of [...admitted, '169.254.169.254']) assert.equal(admits(address), true, address)
  const refused = ['10.2.0.0', '192.0.2.8', 'fd00:2::9', '2001:db8::6', '8.8.8.8']
  for (const address of refused) assert.equal(admits(address), false, address)
})

test('an invalid entry is a fault that names it', () => {
  const entries = [
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0/8',
    '::/129',
    'fe80::%eth0/10',
    '1.2.3.4/8/8',
    '1.2.3.4/-1',
  ]
  for (const entry of [...entries, 'http://example.org', 'a b', 'a/b', '[::1]', '{a}']) {
    assert.deepEqual(parseAllowedHosts(`external,${entry}`), {
      ok: false,
      fault: `does not understand "${entry}"`,
    })
  }
  assert.deepEqual(parseAllowedHosts('external,,'), { ok: false, fault: 'does not understand ""' })
})
