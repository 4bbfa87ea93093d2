import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'

const { call, pool, make } = await startApp()
const ada = await make.person({ name: 'ada' })
const params = { owner: 'ada', repo: 'engine' }
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'engine', issue_labels: 'Default' } })
const [label] = (await call('GET /api/v1/repos/{owner}/{repo}/labels', { as: ada, params })).body

for (const [literal, table, more] of [
  ['DELETE /api/v1/repos/{owner}/{repo}/subscription', 'repository_watch', {}],
  ['DELETE /api/v1/repos/{owner}/{repo}/labels/{id}', 'repository_label', { id: label.id }],
] as const) {
  test(`${literal} is run again when the database ends a deadlock by it`, async () => {
    // A sequence does not return to its former value on a rollback.
    await pool.unsafe(`
      create sequence ${table}_turns;
      create function ${table}_deadlock() returns trigger language plpgsql as $$
      begin
        if nextval('${table}_turns') = 1 then raise exception 'made up' using errcode = '40P01'; end if;
        return old;
      end $$;
      create trigger deadlock before delete on forge.${table}
        for each row execute function ${table}_deadlock()`)
    const { status } = await call(literal, { as: ada, params: { ...params, ...more } })
    assert.equal(status, 204)
    const [turns] = await pool.unsafe(`select last_value::int as taken from ${table}_turns`)
    assert.equal(turns?.taken, 2)
  })
}
