import { badRequest, found } from '../../../http/route/problem.ts'
import { json, streamed } from '../../../http/route/sends.ts'
import { route } from '../../route.ts'
import { packageReader, packageWriter } from '../access.ts'
import { downloading, packageFile } from '../download.ts'
import { fileByName } from '../package-store.ts'
import { removeVersion } from '../removal.ts'
import { isPackageName, versionOfTarball } from './names.ts'
import { Done, done, Packument } from './npm.shape.ts'
import { npmPackage } from './npm-store.ts'
import { packumentOf } from './packument.ts'
import { receiveDocument } from './publishing.ts'
import { withScope } from './scoped.ts'
import { packageOf } from './stored-package.ts'
import { receiveUnpublish, removeVersions } from './unpublishing.ts'

/**
 * The npm registry protocol. Names may have a scope, which clients escape (`@scope%2Fname`) or not, so each of these
 * routes also exists with `{scope}/{name}` (`scoped.ts`).
 */

export const npmGetPackage = route('GET /{owner}/npm/{name}', {
  summary: 'A package with all its versions, as npm clients read it',
  access: packageReader(),
  fails: [404],
  returns: json(200, Packument),
  shared: 'until written',
  handler: async ({ sql, params, caller, from }) => {
    const stored = await packageOf(sql, caller, params.name)
    return { name: stored.name, ...packumentOf(stored, `${from.host}api/packages/${stored.owner}/npm/`) }
  },
})

export const npmGetPackageScoped = withScope('GET /{owner}/npm/{scope}/{name}', npmGetPackage)

export const npmPublish = route('PUT /{owner}/npm/{name}', {
  summary: 'Publish a version of a package, or deprecate versions',
  access: packageWriter(),
  fails: [400, 404, 408, 409, 413, 503, 507],
  returns: streamed(201, Done),
  also: [200],
  handler: async (context) => {
    const { name } = context.params
    if (!isPackageName(name)) throw badRequest('the name of the package is invalid')
    return async (req, res) => {
      const outcome = await receiveDocument(context, name, { req, res })
      res.writeHead(outcome === 'published' ? 201 : 200, ofJson).end(JSON.stringify(done))
    }
  },
})

export const npmPublishScoped = withScope('PUT /{owner}/npm/{scope}/{name}', npmPublish)

export const npmDownloadFile = route('GET /{owner}/npm/{name}/-/{file}', {
  summary: 'The tarball of a version',
  ...downloading,
  handler: async (context) => {
    const { sql, params, caller } = context
    const key = npmPackage(caller, params.name)
    return packageFile(context, found(await fileByName(sql, key, versionIn(params), params.file)))
  },
})

export const npmDownloadFileScoped = withScope('GET /{owner}/npm/{scope}/{name}/-/{file}', npmDownloadFile)

export const npmDeleteFile = route('DELETE /{owner}/npm/{name}/-/{file}/-rev/{rev}', {
  summary: 'Unpublish the version of a tarball',
  access: packageWriter(),
  fails: [404],
  returns: json(200, Done),
  handler: async (context) => {
    const { params, caller } = context
    await removeVersion(context, npmPackage(caller, params.name), versionIn(params))
    return done
  },
})

export const npmDeleteFileScoped = withScope(
  'DELETE /{owner}/npm/{scope}/{name}/-/{file}/-rev/{rev}',
  npmDeleteFile,
)

export const npmEditPackage = route('PUT /{owner}/npm/{name}/-rev/{rev}', {
  summary: 'Unpublish the versions that are missing in a document of a package',
  access: packageWriter(),
  fails: [400, 404, 408, 409, 413, 503],
  returns: streamed(200, Done),
  handler: async (context) => {
    const { sql, caller, params } = context
    await packageOf(sql, caller, params.name)
    return async (req, res) => {
      await receiveUnpublish(context, params, { req, res })
      res.writeHead(200, ofJson).end(JSON.stringify(done))
    }
  },
})

export const npmEditPackageScoped = withScope('PUT /{owner}/npm/{scope}/{name}/-rev/{rev}', npmEditPackage)

export const npmDeletePackage = route('DELETE /{owner}/npm/{name}/-rev/{rev}', {
  summary: 'Unpublish a package with all its versions',
  access: packageWriter(),
  fails: [404, 409],
  returns: json(200, Done),
  handler: async (context) => {
    await removeVersions(context, context.params, () => true)
    return done
  },
})

export const npmDeletePackageScoped = withScope(
  'DELETE /{owner}/npm/{scope}/{name}/-rev/{rev}',
  npmDeletePackage,
)

const ofJson = { 'Content-Type': 'application/json;charset=utf-8' }

/** The version whose tarball a path names. @throws Problem 404 */
const versionIn = ({ name, file }: { name: string; file: string }) =>
  found(isPackageName(name) ? versionOfTarball(name, file) : undefined)
