import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openFormerDatabase } from '../../support/database.ts'

/** The schema of the program before 0028_issue_mentions. */
const database = await openFormerDatabase('0028')
const { pool } = database
after(() => database.close())

test('issues and comments that are there already mention the same people after the upgrade', async () => {
  const day = '2026-01-01'
  await pool`
    insert into forge.account (kind, name, created_at, updated_at)
    values ('person', 'Ada', ${day}, ${day}), ('person', 'dot.ted', ${day}, ${day}), ('person', 'eve', ${day}, ${day}),
      ('organization', 'guild', ${day}, ${day})`
  const [ada, dotted, eve] = (
    await pool<{ id: number }[]>`select id from forge.account where id > 0 order by id`
  ).map(({ id }) => id)
  await pool`
    insert into forge.repository (owner_id, name, folder_owner, folder_name, state, is_private, default_branch,
      object_format, created_at, updated_at)
    values (${ada ?? 0}, 'r', 'ada', 'r', 'ready', false, 'main', 'sha1', ${day}, ${day})`
  const texts = [
    ['Ask @EVE', 'and (@dot.ted).'],
    ['@ada', 'of herself, and of @guild'],
    ['x', '@ada@eve mail@eve @eve/x'],
    ['y', ''],
  ]
  for (const [title = '', body = ''] of texts)
    await pool`
      insert into forge.issue (repository_id, poster_id, title, body, created_at, updated_at)
      select id, ${ada ?? 0}, ${title}, ${body}, ${day}, ${day} from forge.repository`
  for (const body of ['Hello @ada, @eve!', 'Once more @eve'])
    await pool`
      insert into forge.issue_comment (issue_id, poster_id, body, created_at, updated_at)
      select id, ${eve ?? 0}, ${body}, ${day}, ${day} from forge.issue where number = 4`
  await database.upgrade()
  const rows = await pool`
    select issue.number, issue_mention.account_id
    from forge.issue_mention
    join forge.issue on issue.id = issue_mention.issue_id
    order by issue.number, issue_mention.account_id`
  assert.deepEqual(
    rows.map(({ number, account_id }) => [number, account_id]),
    [
      [1, dotted],
      [1, eve],
      [4, ada],
    ],
  )
})
