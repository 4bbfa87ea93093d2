import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configure } from '../src/config.ts'

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
    S3_REGION: ['eu-1', 'S3_REGION has no effect without S3_URL'],
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
})
