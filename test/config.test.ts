import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { configure, variables } from '../src/config.ts'
import { temporaryFolder } from './support/folder.ts'

const signingKey = join(await temporaryFolder(), 'key')
execFileSync('ssh-keygen', ['-q', '-N', '', '-t', 'ed25519', '-f', signingKey])

const faultsOf = (environment: Record<string, string>) => {
  const configured = configure(environment)
  return 'faults' in configured ? configured.faults : []
}

test('what no timer and no calendar can hold is a fault', () => {
  assert.deepEqual(faultsOf({ DATABASE_TIMEOUT: '61m' }), ['DATABASE_TIMEOUT must be at most 1h'])
  assert.deepEqual(faultsOf({ DATABASE_TIMEOUT: '1h' }), [])
  for (const name of [
    'SESSION_MAX_AGE',
    'ACTIONS_LONGEST_JOB',
    'ACTIONS_LOGS_KEPT',
    'ACTIONS_RUNS_KEPT',
    'WEBHOOK_HISTORY',
  ]) {
    assert.match(
      faultsOf({ [name]: '99999999999d' })[0] ?? '',
      new RegExp(`^${name} must be a duration`),
      name,
    )
    assert.deepEqual(faultsOf({ [name]: '36500d' }), [], name)
  }
})

test('a rate is a number in a time, or off', () => {
  for (const RATE_LIMIT_ADDRESS of ['600/1m', '1/1h', '5/0.5s', 'off'])
    assert.deepEqual(faultsOf({ RATE_LIMIT_ADDRESS }), [])
  for (const RATE_LIMIT_ACCOUNT of ['600', '0/1m', '600/m', '-1/1m', '1/0s', 'on'])
    assert.deepEqual(faultsOf({ RATE_LIMIT_ACCOUNT }), [
      'RATE_LIMIT_ACCOUNT must be a number in a time such as 600/1m, or off',
    ])
})

test('a body may not be larger than what is held of all bodies at one time', () => {
  assert.deepEqual(faultsOf({ BODY_LIMIT: '256m' }), [])
  assert.deepEqual(faultsOf({ BODY_LIMIT: '257m' }), ['BODY_LIMIT must be at most 256m'])
})

test('the public address is one that paths can be put behind, and holds no password', () => {
  for (const PUBLIC_URL of ['https://a.example', 'https://a.example/', 'http://a.example:81/base']) {
    assert.deepEqual(faultsOf({ PUBLIC_URL }), [])
  }
  for (const PUBLIC_URL of [
    'https://a.example/?x',
    'https://a.example/?x=1',
    'https://a.example/#x',
    'https://a:b@c',
  ]) {
    assert.deepEqual(faultsOf({ PUBLIC_URL }), [
      'PUBLIC_URL must have neither a user nor anything from ? or # on',
    ])
  }
})

test('every fault is a sentence about its variable, and all are told at once', () => {
  assert.deepEqual(faultsOf({ PORT: '65536', LOG_LEVEL: 'INFO', SESSION_MAX_AGE: 'off' }), [
    'PORT must be at most 65535',
    'LOG_LEVEL must be one of debug, info, warn, error, silent',
    'SESSION_MAX_AGE must be a duration such as 12h or 30d',
  ])
})

test('a list with several faults is one fault of its variable', () => {
  assert.deepEqual(faultsOf({ PASSWORD_CLASSES: 'lower,upper case,none' }), [
    'PASSWORD_CLASSES must list some of lower, upper, digit, special',
  ])
})

test('words of lists are only those that are listed', () => {
  for (const name of ['TRUST_PROXY', 'WEBHOOK_ALLOWED_HOSTS']) {
    assert.doesNotThrow(() => configure({ [name]: 'constructor' }), name)
  }
})

test('a variable that would be ignored in silence is a fault', () => {
  const faults = {
    METRICS_HOST: ['0.0.0.0', 'METRICS_HOST has no effect without METRICS_PORT'],
    MAIL_FROM: ['f@a.example', 'MAIL_FROM has no effect without MAIL_URL'],
    S3_REGION: ['eu-1', 'S3_REGION has no effect without S3_URL'],
    S3_SECRET_ACCESS_KEY: ['x', 'S3_SECRET_ACCESS_KEY has no effect without S3_URL'],
    POOL_SIZE: ['20', 'POOL_SIZE has no effect without DATABASE_URL'],
    SITE_WRITE: ['token', 'SITE_WRITE is no setting: SITE_WRITES is'],
    REQUIRE_SIGNINN: ['true', 'REQUIRE_SIGNINN is no setting: REQUIRE_SIGNIN is'],
    DATABASE_URI: ['x', 'DATABASE_URI is no setting: DATABASE_URL is'],
    DATABASE_URL: ['postgres://a@b/c?sslmode=bogus', 'DATABASE_URL has an unknown sslmode'],
  }
  for (const [name, [value = '', fault]] of Object.entries(faults))
    assert.deepEqual(faultsOf({ [name]: value }), [fault])
  assert.deepEqual(faultsOf({ METRICS_HOST: '0.0.0.0', METRICS_PORT: '0', HOSTNAME: 'x', POSTS: 'x' }), [])
  for (const mode of ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'])
    assert.deepEqual(faultsOf({ DATABASE_URL: `postgres://a@b/c?sslmode=${mode}` }), [])
  assert.deepEqual(faultsOf({ ...s3, S3_SECRET_ACCESS_KEY_FILE: import.meta.filename }), [
    'S3_SECRET_ACCESS_KEY cannot be set beside S3_SECRET_ACCESS_KEY_FILE',
  ])
})

/** A value that a setting takes, which is not its default; the values that it refuses; the settings that it needs. */
interface Example {
  takes: string
  refuses: readonly string[]
  beside?: Record<string, string>
}

const postgres = { DATABASE_URL: 'postgres://a@b/c' }
const s3 = { S3_URL: 'https://s3.example/bucket', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' }
const mail = {
  MAIL_URL: 'smtp://a.example',
  MAIL_FROM: 'f@a.example',
  PUBLIC_URL: 'https://a.example/',
}
const number = ['-1', '1.5', 'many', '0x10', '99999999999']
const flag = ['on', 'TRUE', 'true,false']
const size = ['0', '-1m', '1x', '1m,2m']
const duration = ['0s', '-1s', '5', '1 hour', '1h30m']

const examples: Readonly<Record<string, Example>> = {
  PORT: { takes: '8080', refuses: [...number, '65536'] },
  HOST: { takes: '127.0.0.1', refuses: [] },
  PUBLIC_URL: {
    takes: 'https://a.example/b/',
    refuses: ['a.example', 'ftp://a.example', 'https://a.example/?x'],
  },
  SSH_URL: {
    takes: 'ssh://git@a.example:2222',
    refuses: [
      'git@a.example',
      'ssh://a.example',
      'ssh://git@a.example/base',
      'ssh://git:word@a.example',
      'ssh://git@',
    ],
  },
  DATABASE_URL: {
    takes: 'postgres://a@b/c',
    refuses: ['b', 'mysql://b', 'postgres://a@b,d/c', 'postgres://a:%@b/c'],
  },
  DATA_DIR: { takes: '/srv/data', refuses: [] },
  LOG_LEVEL: { takes: 'debug', refuses: ['INFO', 'trace', 'info,warn'] },
  POOL_SIZE: { takes: '20', refuses: [...number, '0', '1001'], beside: postgres },
  METRICS_PORT: { takes: '9464', refuses: [...number, '65536'] },
  METRICS_HOST: { takes: '0.0.0.0', refuses: [], beside: { METRICS_PORT: '1' } },
  METRICS_TOKEN: { takes: 'x'.repeat(16), refuses: ['x'.repeat(15), `${'x'.repeat(16)} y`] },
  QUEUE_LIMIT: { takes: '5', refuses: [...number, '0'] },
  DATABASE_TIMEOUT: { takes: '5s', refuses: [...duration, '2h'] },
  RATE_LIMIT_ADDRESS: { takes: '600/1m', refuses: ['600', '0/1m', 'on', '1/1m,2/1m'] },
  RATE_LIMIT_ACCOUNT: { takes: '600/1m', refuses: ['600', '0/1m', 'on', '1/1m,2/1m'] },
  DATABASE_REQUEST_ID: { takes: 'yes', refuses: flag, beside: postgres },
  TRUST_PROXY: {
    takes: '203.0.113.0/24',
    refuses: ['none,203.0.113.9', 'none,none', 'loopback,', 'proxy.example'],
  },
  QUERY_TOKENS: { takes: 'true', refuses: flag },
  REQUIRE_SIGNIN: { takes: '1', refuses: flag },
  ORG_CREATION: { takes: 'no', refuses: flag },
  PASSWORD_MIN_LENGTH: { takes: '12', refuses: [...number, '0', '256'] },
  PASSWORD_CLASSES: { takes: 'lower,digit', refuses: ['none', 'lower,none', 'lower digit'] },
  ADMIN_USERNAME: { takes: 'ada', refuses: ['a b', 'a,b', 'x'.repeat(256)] },
  ADMIN_EMAIL: { takes: 'ada@a.example', refuses: ['ada', 'a@b.example,c@d.example'] },
  ADMIN_PASSWORD: { takes: 'wished for it', refuses: ['x'.repeat(256)] },
  ADMIN_TOKEN: { takes: 'a'.repeat(40), refuses: ['a'.repeat(39), 'g'.repeat(40), 'A'.repeat(40)] },
  TEMPLATES_DIR: { takes: '/srv/templates', refuses: [] },
  BODY_LIMIT: { takes: '2m', refuses: [...size, '257m'] },
  PACKAGE_FILE_LIMIT: { takes: '1g', refuses: size },
  RELEASE_FILE_LIMIT: { takes: '1g', refuses: size },
  ISSUE_FILE_LIMIT: { takes: '1g', refuses: size },
  S3_URL: {
    takes: 'https://other.example/bucket',
    refuses: ['s3.example', 'https://a:b@s3.example/x'],
    beside: s3,
  },
  S3_REGION: { takes: 'eu-1', refuses: ['eu 1', 'eu-1,eu-2'], beside: s3 },
  S3_ACCESS_KEY_ID: { takes: 'other', refuses: ['a b'], beside: s3 },
  S3_SECRET_ACCESS_KEY: { takes: 'other', refuses: [], beside: s3 },
  S3_SECRET_ACCESS_KEY_FILE: {
    takes: import.meta.filename,
    refuses: ['/nowhere', '/'],
    beside: { S3_URL: s3.S3_URL, S3_ACCESS_KEY_ID: 'id' },
  },
  MAIL_URL: {
    takes: 'smtps://u:p@b.example',
    refuses: ['a.example', 'smtp://u@a.example', 'https://a.example'],
    beside: mail,
  },
  MAIL_FROM: {
    takes: 'The Forge <f@b.example>',
    refuses: ['forge', 'f@a.example, f@b.example', 'x\n<f@a.example>'],
    beside: mail,
  },
  SITE_WRITES: { takes: 'token', refuses: ['OPEN', 'on', 'token,off'] },
  STREAM_LIMIT: { takes: '0', refuses: number },
  SESSION_MAX_AGE: { takes: '12h', refuses: duration },
  SECRET_KEY: { takes: 'k'.repeat(32), refuses: ['k'.repeat(31), `${'k'.repeat(32)},short`] },
  SECRET_KEY_LOST: { takes: 'accept', refuses: ['yes', 'true'] },
  ACTIONS_URL: { takes: 'self', refuses: ['github.com', 'ftp://a.example'] },
  ACTIONS_LOG_LIMIT: { takes: '1m', refuses: size },
  ACTIONS_LONGEST_JOB: { takes: '6h', refuses: duration },
  ACTIONS_LOGS_KEPT: { takes: '30d', refuses: duration },
  ACTIONS_ARTIFACTS_KEPT: { takes: '30d', refuses: duration },
  ACTIONS_ARTIFACTS_LIMIT: { takes: '1g', refuses: size },
  ACTIONS_RUNS_KEPT: { takes: '30d', refuses: duration },
  RUNNER_TOKEN: { takes: 'r'.repeat(32), refuses: ['r'.repeat(31), `${'r'.repeat(32)}!`] },
  SIGNING_KEY_FILE: { takes: signingKey, refuses: ['/nowhere', import.meta.filename] },
  GIT_START_TIMEOUT: { takes: '1m', refuses: [...duration, '2h'] },
  GIT_READ_TIMEOUT: { takes: '30s', refuses: [...duration, '2h'] },
  GIT_TRANSFER_TIMEOUT: { takes: '30m', refuses: [...duration, '2h'] },
  GIT_READ_MEMORY: { takes: '1g', refuses: [...size, '63m'] },
  GIT_TRANSFER_MEMORY: { takes: '1g', refuses: [...size, '63m'] },
  WEBHOOK_ALLOWED_HOSTS: { takes: 'private', refuses: ['external,', 'none!', '10.0.0.0/99'] },
  WEBHOOK_TIMEOUT: { takes: '1s', refuses: [...duration, '2h'] },
  WEBHOOK_HISTORY: { takes: '20', refuses: ['-1', '0h', 'a while', '1h,2'] },
  CRON: { takes: 'a=@weekly', refuses: ['a', 'a=often', 'a=@weekly;a=-'] },
}

/** What a configuration says, as values that can be compared; undefined if it is refused. */
function said(environment: Record<string, string>): object | undefined {
  const configured = configure(environment)
  if (!('config' in configured)) return undefined
  const { proxies, webhookHosts, timetables, ...others } = configured.config
  return {
    ...others,
    trusts: proxies.trusts('203.0.113.9'),
    admits: webhookHosts.admits('10.0.0.1', 'a.example'),
    timetables: [...timetables].map(([name, timetable]) => [name, timetable?.text]),
  }
}

/** Settings that are taken as they are. */
const verbatim = [
  'HOST',
  'METRICS_HOST',
  'DATA_DIR',
  'TEMPLATES_DIR',
  'ADMIN_PASSWORD',
  'S3_SECRET_ACCESS_KEY',
]

test('each setting has an effect, and refuses each value that it does not understand', () => {
  assert.deepEqual(Object.keys(examples), variables)
  for (const [name, { takes, refuses, beside = {} }] of Object.entries(examples)) {
    const { [name]: _, ...others } = beside
    const changed = said({ ...others, [name]: takes })
    assert.ok(changed, `${name} takes ${takes}`)
    assert.notDeepEqual(changed, said(beside), `${name} has an effect`)
    for (const value of refuses) {
      const faults = faultsOf({ ...others, [name]: value })
      assert.equal(faults.length, 1, `${name} refuses ${value}: ${faults.join('; ')}`)
      assert.ok(faults[0]?.startsWith(`${name} `), faults[0])
    }
    const spaced = said({ ...others, [name]: ` ${takes} ` })
    if (spaced !== undefined && !verbatim.includes(name))
      assert.deepEqual(spaced, changed, `${name} does not see the blanks around its value`)
  }
})
