import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FORGE_PREFIX } from '../../src/forge/api.ts'
import { forgeDocument, forgeSecurity } from '../../src/forge/document.ts'
import { type Mounted, mount } from '../../src/http/route/api.ts'
import { siteDocument } from '../../src/site/document.ts'
import { siteApi } from '../site/specified.ts'
import { routesOfApp } from '../support/routes.ts'
import { sourcesOf } from '../support/sources.ts'

const siteRoutes = mount(siteApi)
const allRoutes = routesOfApp()
const forgeRoutes = allRoutes.filter(({ path }) => path.startsWith('/api/v1/'))

/** Compares with the file that was last accepted; `npm run accept` writes it anew. */
function holdToContract(name: string, text: string): void {
  const path = join('test', 'contract', name)
  if (process.env.ACCEPT) writeFileSync(path, text)
  assert.equal(text, readFileSync(path, 'utf8'), `${path} differs: if that is meant, run npm run accept`)
}

/** JSON where what fits into one line stands in one: a parameter, a member, an answer. */
function printed(value: unknown, indent = ''): string {
  const line = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length < 110) return line
  const within = `${indent} `
  const parts = Array.isArray(value)
    ? value.map((each) => printed(each, within))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${printed(each, within)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${within}${parts.join(`,\n${within}`)}\n${indent}${close}${indent === '' ? '\n' : ''}`
}

/** One line per operation: what a reviewer wants to see change. */
function lineOf({ operationId, method, path, route }: Mounted): string {
  const marks = [
    route.shared && 'shared',
    route.returns.kind !== 'value' && route.returns.kind,
    route.deprecated && 'deprecated',
  ]
  const failures = route.fails.length > 0 ? ` or ${route.fails.join(' ')}` : ''
  return `${method} ${path} · ${operationId} · ${route.access.name} · ${[route.returns.status + failures, ...marks].filter(Boolean).join(' · ')}`
}

test('the list of routes is the accepted one', () => {
  holdToContract('routes.txt', `${allRoutes.map(lineOf).sort().join('\n')}\n`)
})

test('the document of the site is the accepted one', () => {
  const security = { BearerToken: forgeSecurity.BearerToken }
  holdToContract(
    'site.openapi.json',
    printed(siteDocument({ version: '0.1.0', routes: siteRoutes, security })),
  )
})

test('the document of the forge is the accepted one', () => {
  const document = forgeDocument({
    version: '28.0.0',
    routes: forgeRoutes,
    prefix: FORGE_PREFIX,
    queryTokens: true,
  })
  holdToContract('forge.openapi.json', printed(document))
})

test('each operation is found by its path and by its operationId, in one place of the source', () => {
  const declared = sourcesOf('src').flatMap(({ path, text }) =>
    [...text.matchAll(/\bconst (\w+) =(?: \([^)]*\) =>)?\s*\w+\(\s*'([A-Z]+ \/[^']*)'/g)].map(
      ([, name, literal]) => ({ path, name, literal }),
    ),
  )
  for (const { operationId, route } of allRoutes) {
    const named = declared.filter(({ name }) => name === operationId)
    assert.deepEqual(
      named.map(({ literal }) => literal),
      [route.literal],
      operationId,
    )
    const written = declared.filter(({ literal }) => literal === route.literal)
    // The APIs have prefixes, so two of them may have the same rest of a path.
    assert.equal(new Set(written.map(({ path }) => path)).size, written.length, route.literal)
  }
})

test('no declared path needs an escape in JSON: the line of a request quotes it as it is', () => {
  for (const { path } of allRoutes) assert.equal(JSON.stringify(path), `"${path}"`)
})
