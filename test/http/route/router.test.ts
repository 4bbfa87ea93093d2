import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Method } from '../../../src/http/route/router.ts'
import { Router } from '../../../src/http/route/router.ts'

/** A router over literals; `find` gives the path found and its parameters. */
function routerOf(...literals: string[]) {
  const router = new Router(
    literals.map((literal) => {
      const [method, path] = literal.split(' ') as [Method, string]
      return { method, path }
    }),
  )
  return {
    router,
    find: (method: string, path: string) => {
      const match = router.find(method, path)
      return match && { path: match.target.path, params: { ...match.params } }
    },
  }
}

test('a path without variables is found, and nothing above, below or beside it', () => {
  const { find } = routerOf('GET /api/news')
  assert.deepEqual(find('GET', '/api/news'), { path: '/api/news', params: {} })
  for (const path of ['', '/', '/api', '/api/new', '/api/newss', '/api/news/1', '/API/news', 'x/api/news']) {
    assert.equal(find('GET', path), undefined, path)
  }
})

test('repeated and trailing slashes say nothing', () => {
  const { find } = routerOf('GET /api/news', 'GET /api/news/{id}')
  for (const path of ['/api/news/', '//api/news', '/api//news', '/api/news//']) {
    assert.deepEqual(find('GET', path), { path: '/api/news', params: {} }, path)
  }
  assert.deepEqual(find('GET', '/api/news/7/'), { path: '/api/news/{id}', params: { id: '7' } })
})

test('a literal segment wins over a variable one, whichever was declared first', () => {
  for (const literals of [
    ['GET /runners/{id}', 'GET /runners/token'],
    ['GET /runners/token', 'GET /runners/{id}'],
  ]) {
    const { find } = routerOf(...literals)
    assert.deepEqual(find('GET', '/runners/token'), { path: '/runners/token', params: {} })
    assert.deepEqual(find('GET', '/runners/9'), { path: '/runners/{id}', params: { id: '9' } })
  }
})

test('where the literal has no such method the variable is tried, though a 405 names the literal alone', () => {
  const { find, router } = routerOf('POST /runners/token', 'GET /runners/{id}', 'DELETE /runners/{id}')
  assert.deepEqual(find('GET', '/runners/token'), { path: '/runners/{id}', params: { id: 'token' } })
  assert.deepEqual(find('POST', '/runners/token'), { path: '/runners/token', params: {} })
  assert.equal(find('PUT', '/runners/token'), undefined)
  assert.deepEqual(router.methodsOf('/runners/token'), ['POST'])
  assert.deepEqual(router.methodsOf('/runners/9'), ['DELETE', 'GET', 'HEAD'])
})

test('a literal that leads nowhere gives way to a variable further up', () => {
  const { find } = routerOf('GET /repos/search/all', 'GET /repos/{owner}/{repo}')
  assert.deepEqual(find('GET', '/repos/search/all'), { path: '/repos/search/all', params: {} })
  assert.deepEqual(find('GET', '/repos/search/me'), {
    path: '/repos/{owner}/{repo}',
    params: { owner: 'search', repo: 'me' },
  })
})

test('routes that share a variable may call it differently', () => {
  const { find } = routerOf('GET /users/{username}', 'GET /users/{name}/keys')
  assert.deepEqual(find('GET', '/users/ada')?.params, { username: 'ada' })
  assert.deepEqual(find('GET', '/users/ada/keys')?.params, { name: 'ada' })
})

test('a parameter with an ending takes what ends so, before one without', () => {
  const { find, router } = routerOf('GET /a/{id}', 'GET /a/{id}.diff', 'GET /a/{id}.diff/x', 'POST /a/{id}')
  assert.deepEqual(find('GET', '/a/b.c.diff'), { path: '/a/{id}.diff', params: { id: 'b.c' } })
  assert.deepEqual(find('GET', '/a/%2F.diff/x'), { path: '/a/{id}.diff/x', params: { id: '/' } })
  assert.deepEqual(find('GET', '/a/b.diffs'), { path: '/a/{id}', params: { id: 'b.diffs' } })
  assert.deepEqual(find('POST', '/a/b.diff'), { path: '/a/{id}', params: { id: 'b.diff' } })
  assert.deepEqual(router.methodsOf('/a/b.diff'), ['GET', 'HEAD'])
})

test('two targets of one method and path are refused at start, whatever their parameters are called', () => {
  assert.throws(
    () => routerOf('GET /a/{b}', 'GET /a/{c}'),
    /Cannot route GET \/a\/\{c\}: it is \/a\/\{b\} already/,
  )
  assert.throws(() => routerOf('GET /a', 'GET /a'), /it is \/a already/)
  assert.doesNotThrow(() => routerOf('GET /a', 'POST /a'))
})

test('parameters are decoded after routing, so %2F stays inside its parameter', () => {
  const { find } = routerOf('GET /repos/{owner}/{repo}')
  assert.deepEqual(find('GET', '/repos/a%2Fb/c%20d')?.params, { owner: 'a/b', repo: 'c d' })
  assert.deepEqual(find('GET', '/repos/%C3%A9/%F0%9D%84%9E')?.params, { owner: 'é', repo: '𝄞' })
  assert.equal(find('GET', '/repos%2Fa/b'), undefined)
})

test('a broken escape stays as it is', () => {
  const { find } = routerOf('GET /news/{id}')
  for (const raw of ['%', '%2', '%zz', '%C3', '%ED%A0%80']) {
    assert.deepEqual(find('GET', `/news/${raw}`)?.params, { id: raw })
  }
})

test('names of the language itself are segments like others', () => {
  const { find } = routerOf('GET /news/{id}')
  for (const name of ['__proto__', 'constructor', 'toString']) {
    assert.equal(find('GET', `/${name}`), undefined)
    assert.equal(find('GET', `/news/${name}`)?.params.id, name)
  }
})

test('HEAD is served by GET', () => {
  const { find } = routerOf('GET /a', 'POST /b')
  assert.equal(find('HEAD', '/a')?.path, '/a')
  assert.equal(find('HEAD', '/b'), undefined)
})

test('methodsOf a path that is unknown is empty', () => {
  assert.deepEqual(routerOf('GET /a/{b}').router.methodsOf('/a'), [])
})

test('a path of very many segments is answered', () => {
  const { find } = routerOf('GET /a/{b}')
  assert.equal(find('GET', '/a'.repeat(100_000)), undefined)
})

test('a last parameter with dots takes all segments that are left, one or more, and gives way to every other', () => {
  const { find, router } = routerOf(
    'GET /{owner}/src/{path...}',
    'GET /{owner}/src/top',
    'GET /{owner}/{kind}/x',
  )
  const rest = (path: string) => find('GET', path)?.params.path
  assert.equal(rest('/o/src/main'), 'main')
  assert.equal(rest('/o/src/a/b%2Fc//d%20e/'), 'a/b/c/d e')
  assert.equal(rest('/o/src/%zz/b'), '%zz/b')
  assert.equal(find('GET', '/o/src'), undefined)
  assert.equal(find('GET', '/o/src/top')?.path, '/{owner}/src/top')
  assert.equal(find('GET', '/o/src/x')?.params.path, 'x')
  assert.equal(find('GET', '/o/raw/x')?.path, '/{owner}/{kind}/x')
  assert.deepEqual(router.methodsOf('/o/src/a/b'), ['GET', 'HEAD'])
  assert.equal(find('POST', '/o/src/a/b'), undefined)
})
