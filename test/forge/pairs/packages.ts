import { each, elsewhere, type More, made, type Operation, once } from './operation.ts'
import type { Scene } from './scene.ts'

/** Packages of `bob`, of both registries. */

const any = elsewhere('packages')
const at = '/api/packages/{owner}'
const owner: NonNullable<Operation['params']> = ({ bob: { name } }) => ({ owner: name })

const generic = (literal: string, more: More = {}) =>
  any(literal.replace(' ', ` ${at}/generic`), {
    ...more,
    params: (scene) => ({ ...owner(scene), package: 'tool', version: '1.0.0', file: 'tool.bin' }),
  })
const upload = generic('PUT /{package}/{version}/{file}', {
  headers: () => ({ 'content-type': 'application/octet-stream' }),
  body: () => 'bytes',
})
const uploaded = made(upload)

const publication = (name: string, version: string) => ({
  name,
  'dist-tags': { latest: version },
  versions: { [version]: { name, version } },
  _attachments: { [`${name}-${version}.tgz`]: { data: Buffer.from(version).toString('base64') } },
})

/** The operations of npm for a package with a scope, or without one; two versions of it are published. */
function npm(path: string, name: string, params: Record<string, string>): Operation[] {
  const of = (literal: string, more: More = {}) =>
    any(literal.replace(' ', ` ${at}/npm`).replace('{package}', path), {
      ...more,
      params: (scene) => ({ ...owner(scene), ...params, tag: 'next' }),
    })
  const publish = (version: string) => of('PUT /{package}', { body: () => publication(name, version) })
  const published = each(
    made(publish('1.0.0')),
    made(publish('2.0.0')),
    once(async ({ bob }, call) => {
      const shown = { as: bob, params: { owner: bob.name, ...params } }
      const { body } = await call(`GET ${at}/npm/${path}`, shown)
      const { '2.0.0': _, ...versions } = body.versions
      return { rev: body._rev, left: JSON.stringify({ ...body, versions }) }
    }),
  )
  const setTag = of('PUT /-/package/{package}/dist-tags/{tag}', { before: published, body: () => '"1.0.0"' })
  return [
    publish('1.0.0'),
    setTag,
    of('DELETE /-/package/{package}/dist-tags/{tag}', { before: each(published, made(setTag)) }),
    of('PUT /{package}/-rev/{rev}', { before: published, body: (_, { left }) => left }),
    of('DELETE /{package}/-/{file}/-rev/{rev}', { before: published }),
    of('DELETE /{package}/-rev/{rev}', { before: published }),
  ]
}

const row = {
  params: (scene: Scene) => ({ ...owner(scene), type: 'generic', name: 'tool', version: '1.0.0' }),
}

export const packages: readonly Operation[] = [
  upload,
  generic('DELETE /{package}/{version}/{file}', { before: uploaded }),
  generic('DELETE /{package}/{version}', { before: uploaded }),
  any('DELETE /api/v1/packages/{owner}/{type}/{name}', { ...row, before: uploaded }),
  any('DELETE /api/v1/packages/{owner}/{type}/{name}/{version}', { ...row, before: uploaded }),
  ...npm('{name}', 'plain', { name: 'plain', file: 'plain-1.0.0.tgz' }),
  ...npm('{scope}/{name}', '@club/kit', { scope: '@club', name: 'kit', file: 'kit-1.0.0.tgz' }),
]
