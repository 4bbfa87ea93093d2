import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'

/** Rows of each list: more than a search reads before it asks an index. */
const rows = 5400

const { call, pool, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const ada = await make.person({ name: 'ada' })
const at = new Date('2026-01-02T00:00:00Z')

/** `common` is in all names, `tenth` in every tenth, `seldom` in a few at the end of every order by name. */
const name = `'common' || lpad(n::text, 5, '0') || case when n % 10 = 3 then '-tenth' else '' end
  || case when n > ${rows - 40} then '-seldom' else '' end`
/** The same for full names, with letters beyond ASCII. */
const fullName = `'Всё ' || n || case when n % 10 = 7 then ' Ärger' else '' end`

async function fill(): Promise<void> {
  for (const kind of ['person', 'organization'])
    await pool.unsafe(
      `insert into forge.account (kind, name, full_name, email, visibility, created_at, updated_at)
       select '${kind}', '${kind}' || ${name}, ${fullName},
         case when '${kind}' = 'person' then 'p' || n || '@example.com' else '' end,
         case when n % 20 = 13 then 'private' else 'public' end, $1::timestamptz, $1::timestamptz
       from generate_series(1, ${rows}) as n`,
      [at],
    )
  await pool`
    insert into forge.email_address (account_id, address, key, is_primary, is_activated, created_at)
    select id, email, email, true, true, created_at from forge.account where key like 'personcommon%'`
  await pool.unsafe(
    `insert into forge.repository (owner_id, name, folder_owner, folder_name, state, is_private, default_branch,
       object_format, created_at, updated_at)
     select $1::bigint, ${name}, 'ada', 'r' || n, 'ready', n % 20 = 13, 'main', 'sha1', $2::timestamptz, $2::timestamptz
     from generate_series(1, ${rows}) as n`,
    [ada.id, at],
  )
  await pool.unsafe(
    `insert into forge.package (owner_id, type, name, created_at)
     select id, 'generic', 'kit-' || key, $1::timestamptz from forge.account where key like 'personcommon%'`,
    [at],
  )
  await pool`
    insert into forge.package_version (package_id, owner_id, type, creator_id, version, created_at)
    select id, owner_id, type, owner_id, '1', created_at from forge.package`
}
await fill()

type Asked = Readonly<Record<string, string | number>>
interface Listed {
  path: string
  /** What each row is known by. */
  nameOf: (row: { name: string; login: string; username: string; email: string }) => string
  /** Names in the order of the list: of rows with a pattern, and whether only public ones. */
  all: (pattern: string, isPublic: boolean) => Promise<readonly { name: string }[]>
  onlyBoss?: true
}

const accounts = (kind: string) => (pattern: string, isPublic: boolean) =>
  pool<{ name: string }[]>`
  select name
  from forge.account
  where kind = ${kind} and (key like ${pattern} or forge.fold(full_name) like ${pattern})
    ${isPublic ? pool`and visibility = 'public'` : pool``}
  order by key`

const lists: readonly Listed[] = [
  { path: 'GET /api/v1/users/search', nameOf: ({ login }) => login, all: accounts('person') },
  { path: 'GET /api/v1/admin/users', nameOf: ({ login }) => login, all: accounts('person'), onlyBoss: true },
  {
    path: 'GET /api/v1/admin/emails/search',
    nameOf: ({ email }) => email,
    all: (pattern) => pool<{ name: string }[]>`
      select address as name
      from forge.email_address
      join forge.account on account.id = account_id
      where account.key like ${pattern} or forge.fold(full_name) like ${pattern}
      order by email_address.key`,
    onlyBoss: true,
  },
  {
    path: 'GET /api/v1/repos/search',
    nameOf: ({ name }) => name,
    all: (pattern, isPublic) => pool<{ name: string }[]>`
      select name
      from forge.repository
      where key like ${pattern} ${isPublic ? pool`and not is_private` : pool``}
      order by key`,
  },
  {
    path: 'GET /api/v1/admin/packages',
    nameOf: ({ name }) => name,
    all: (pattern) => pool<{ name: string }[]>`
      select package.name
      from forge.package_version as version
      join forge.package on package.id = package_id
      where package.key like ${pattern}
      order by version.created_at desc, version.id desc`,
    onlyBoss: true,
  },
]

for (const { path, nameOf, all, onlyBoss } of lists)
  for (const q of ['tenth', 'seldom', 'ÄRGER', 'nothing'])
    test(`${path} leads through all rows with ${q}, and counts them or says that there are more`, async () => {
      for (const as of onlyBoss ? [boss] : [boss, undefined]) {
        const expected = (await all(`%${q.toLowerCase()}%`, as === undefined)).map((row) => row.name)
        const found: string[] = []
        for (let page = 1; ; page++) {
          const query: Asked = { q, page, limit: 50 }
          const { status, body, headers } = await call(path, { ...(as && { as }), query })
          assert.equal(status, 200)
          found.push(...(Array.isArray(body) ? body : body.data).map(nameOf))
          const [total, link] = [Number(headers.get('x-total-count')), headers.get('link') ?? '']
          if (total < expected.length)
            assert.ok(total > found.length && !link.includes('rel="last"'), `${total}`)
          else assert.equal(total, expected.length)
          if (!link.includes('rel="next"')) break
        }
        assert.deepEqual(found, expected)
      }
    })

test('a term that all rows have is counted up to a limit, and late pages are in order', async () => {
  const expected = (await accounts('person')('%common%', false)).map((row) => row.name)
  for (const [page, counted] of [
    [1, 1000],
    [40, 2001],
    [108, 5400],
  ] as const) {
    const query = { q: 'common', page, limit: 50 }
    const { body, headers } = await call('GET /api/v1/admin/users', { as: boss, query })
    assert.deepEqual(
      body.map(({ login }: { login: string }) => login),
      expected.slice((page - 1) * 50, page * 50),
    )
    assert.equal(headers.get('x-total-count'), String(counted))
  }
})

test('a list without a term is counted to 10,000, or to one row after the page, and Link then names no last page', async () => {
  const { body: repository } = await call('POST /api/v1/user/repos', { as: ada, body: { name: 'labelled' } })
  await pool`
    insert into forge.repository_label (repository_id, name, color)
    select ${repository.id}::bigint, 'label ' || n, 'ff0000' from generate_series(1, 10100) as n`
  for (const [page, counted, hasLast] of [
    [1, 10_000, false],
    [201, 10_051, false],
    [202, 10_100, true],
  ] as const) {
    const { body, headers } = await call('GET /api/v1/repos/{owner}/{repo}/labels', {
      as: ada,
      params: { owner: 'ada', repo: 'labelled' },
      query: { page, limit: 50 },
    })
    assert.equal(body.length, 50)
    assert.equal(headers.get('x-total-count'), String(counted))
    const link = headers.get('link') ?? ''
    assert.equal(link.includes('rel="next"'), page < 202)
    assert.equal(link.includes('rel="last"'), hasLast && page < 202)
  }
})
