import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routesOfApp } from '../support/routes.ts'
import { namesIn, testNamesIn } from '../support/test-names.ts'

/** A row of the specification's tables: the operation, its success, and the other statuses that the row lists. */
type Row = readonly [literal: string, success: number, ...others: number[]]

/** The tables of the Forge Management API, section 4, row by row. */
const rows: readonly Row[] = [
  ['GET /admin/actions/jobs', 200, 400, 404, 422],
  ['GET /admin/actions/runners', 200, 400, 404],
  ['POST /admin/actions/runners/registration-token', 200],
  ['GET /admin/actions/runners/{runner_id}', 200, 400, 404],
  ['DELETE /admin/actions/runners/{runner_id}', 204, 400, 404],
  ['PATCH /admin/actions/runners/{runner_id}', 200, 400, 404, 422],
  ['GET /admin/actions/runs', 200, 400, 404],
  ['GET /admin/cron', 200, 403],
  ['POST /admin/cron/{task}', 204, 404],
  ['GET /admin/emails', 200, 403],
  ['GET /admin/emails/search', 200, 403],
  ['GET /admin/hooks', 200],
  ['POST /admin/hooks', 201],
  ['GET /admin/hooks/{id}', 200],
  ['DELETE /admin/hooks/{id}', 204],
  ['PATCH /admin/hooks/{id}', 200],
  ['GET /admin/orgs', 200, 403],
  ['GET /admin/packages', 200, 403],
  ['GET /admin/unadopted', 200, 403],
  ['POST /admin/unadopted/{owner}/{repo}', 204, 403, 404],
  ['DELETE /admin/unadopted/{owner}/{repo}', 204, 403],
  ['GET /admin/users', 200, 403, 422],
  ['POST /admin/users', 201, 400, 403, 409, 422],
  ['DELETE /admin/users/{username}', 204, 403, 404, 422],
  ['PATCH /admin/users/{username}', 200, 400, 403, 409, 422],
  ['GET /admin/users/{username}/badges', 200, 404],
  ['POST /admin/users/{username}/badges', 204, 403],
  ['DELETE /admin/users/{username}/badges', 204, 403, 422],
  ['POST /admin/users/{username}/keys', 201, 403, 422],
  ['DELETE /admin/users/{username}/keys/{id}', 204, 403, 404],
  ['POST /admin/users/{username}/orgs', 201, 403, 422],
  ['POST /admin/users/{username}/rename', 204, 403, 422],
  ['POST /admin/users/{username}/repos', 201, 400, 403, 404, 409, 422],
  ['GET /gitignore/templates', 200],
  ['GET /gitignore/templates/{name}', 200, 404],
  ['GET /label/templates', 200],
  ['GET /label/templates/{name}', 200, 404],
  ['GET /licenses', 200],
  ['GET /licenses/{name}', 200, 404],
  ['POST /markdown', 200, 422],
  ['POST /markdown/raw', 200, 422],
  ['POST /markup', 200, 422],
  ['GET /notifications', 200],
  ['PUT /notifications', 205],
  ['GET /notifications/new', 200],
  ['GET /notifications/threads/{id}', 200, 403, 404],
  ['PATCH /notifications/threads/{id}', 205, 403, 404],
  ['POST /org/{org}/repos', 201, 403, 404, 422],
  ['GET /orgs', 200],
  ['POST /orgs', 201, 403, 422],
  ['GET /orgs/{org}', 200, 404],
  ['DELETE /orgs/{org}', 204, 404],
  ['PATCH /orgs/{org}', 200, 404],
  ['GET /orgs/{org}/actions/jobs', 200, 400, 404],
  ['GET /orgs/{org}/actions/runners', 200, 400, 404],
  ['POST /orgs/{org}/actions/runners/registration-token', 200],
  ['GET /orgs/{org}/actions/runners/{runner_id}', 200, 400, 404],
  ['DELETE /orgs/{org}/actions/runners/{runner_id}', 204, 400, 404],
  ['PATCH /orgs/{org}/actions/runners/{runner_id}', 200, 400, 404, 422],
  ['GET /orgs/{org}/actions/runs', 200, 400, 404],
  ['GET /orgs/{org}/actions/secrets', 200, 404],
  ['PUT /orgs/{org}/actions/secrets/{secretname}', 201],
]

const base = '/api/v1'

test('the specification has 62 rows', () => {
  assert.equal(new Set(rows.map(([literal]) => literal)).size, 62)
})

test('every row of the specification is declared, with the statuses that it lists', () => {
  const declared = new Map(routesOfApp().map(({ method, path, route }) => [`${method} ${path}`, route]))
  const missing = rows.flatMap(([literal, success, ...others]) => {
    const route = declared.get(literal.replace(' ', ` ${base}`))
    if (!route) return [`${literal} is not declared`]
    const absent = others.filter((status) => !route.fails.includes(status))
    const faults = absent.map((status) => `${literal} does not declare ${status}`)
    return route.returns.status === success
      ? faults
      : [`${literal} succeeds with ${route.returns.status}`, ...faults]
  })
  assert.deepEqual(missing, [])
})

test('every row of the specification stands in the name of a test', () => {
  const names = testNamesIn('forge').map((name) => name.replaceAll(` ${base}/`, ' /'))
  const untested = rows.filter(([literal]) => !names.some((name) => tells(name, literal)))
  assert.deepEqual(untested, [])
})

test('names of tests are read from their sources, constants and loops filled in', () => {
  const source = `
    const one = 'GET /one'
    for (const each of [one, 'GET /two']) test(\`\${each} works\`, () => {})
    test('it isn\\'t', () => {})
    test("GET /three", () => {})
    test(\`\${unknown} \${one}\`, () => {})`
  const found = ['GET /one works', 'GET /two works', "it isn\\'t", 'GET /three', `\${unknown} GET /one`]
  assert.deepEqual(namesIn(source), found)
  assert.ok(tells('GET /orgs, POST /orgs: both', 'POST /orgs'))
  assert.ok(tells('GET /orgs/{org} and GET /orgs', 'GET /orgs'))
  assert.ok(!tells('GET /orgs/{org} shows one', 'GET /orgs'))
})

/** Whether a name holds the whole literal, not only the beginning of a longer one. */
function tells(name: string, literal: string): boolean {
  return name.split(literal).some((rest, at) => at > 0 && !/^[\w/{]/.test(rest))
}
