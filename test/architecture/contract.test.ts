import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { forgeSecurity, forgeShapes } from '../../src/forge/api.ts'
import { type Mounted, mount } from '../../src/http/route/api.ts'
import { openApi } from '../../src/http/route/openapi.ts'
import { siteShapes } from '../../src/site/api.ts'
import { siteApi } from '../site/specified.ts'
import { routesOfApp } from '../support/routes.ts'

const siteRoutes = mount(siteApi)
const allRoutes = routesOfApp()
const forgeRoutes = allRoutes.filter(({ path }) => path.startsWith('/api/v1/'))

/** Compares with the file that was last accepted; `npm run accept` writes it anew. */
function holdToContract(name: string, text: string): void {
  const path = join('test', 'contract', name)
  if (process.env.ACCEPT) writeFileSync(path, text)
  assert.equal(text, readFileSync(path, 'utf8'), `${path} differs: if that is meant, run npm run accept`)
}

/** One line per operation: what a reviewer wants to see change. */
function lineOf({ method, path, route }: Mounted): string {
  const marks = [
    route.shared && 'shared',
    route.sends !== 'value' && route.sends,
    route.deprecated && 'deprecated',
  ]
  const failures = route.fails.length > 0 ? ` or ${route.fails.join(' ')}` : ''
  return `${method} ${path} · ${route.access.name} · ${[route.status + failures, ...marks].filter(Boolean).join(' · ')}`
}

test('the list of routes is the accepted one', () => {
  holdToContract('routes.txt', `${allRoutes.map(lineOf).sort().join('\n')}\n`)
})

test('the document of the site is the accepted one', () => {
  const document = openApi({
    title: 'Forgehall site',
    version: '0.1.0',
    routes: siteRoutes,
    shapes: siteShapes,
  })
  holdToContract('site.openapi.json', `${JSON.stringify(document, null, 2)}\n`)
})

test('the document of the forge is the accepted one', () => {
  const document = openApi({
    title: 'Forgehall management API',
    version: '0.1.0',
    routes: forgeRoutes,
    shapes: forgeShapes,
    security: forgeSecurity,
  })
  holdToContract('forge.openapi.json', `${JSON.stringify(document, null, 2)}\n`)
})

test('no two operations of one API have one operationId', () => {
  for (const routes of [siteRoutes, forgeRoutes, allRoutes.filter((each) => !forgeRoutes.includes(each))]) {
    const ids = routes.map(({ route }) => route.operationId)
    assert.deepEqual(
      ids.filter((id, at) => ids.indexOf(id) !== at),
      [],
    )
  }
})

test('no declared path needs an escape in JSON: the line of a request quotes it as it is', () => {
  for (const { path } of allRoutes) assert.equal(JSON.stringify(path), `"${path}"`)
})
