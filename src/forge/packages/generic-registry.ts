import { sendFile } from '../../http/pipeline/file.ts'
import { badRequest, conflict, found, notFound } from '../../http/route/problem.ts'
import { nameParam } from '../protocol/query.ts'
import { route } from '../route.ts'
import { packageReader, packageWriter } from './access.ts'
import { type GenericNames, genericFault } from './names.ts'
import { fileByName } from './package-store.ts'
import { publish, SAY_PUBLISHED, takeIn } from './publication.ts'
import { removeFile, removeVersion } from './removal.ts'

/** Files under a package and a version, whatever they are; nothing is published twice under one name. */

const type = 'generic'
const inVersion = { owner: nameParam, package: nameParam, version: nameParam }
const inFile = { ...inVersion, file: nameParam }

const upload = route(
  'PUT /{owner}/generic/{package}/{version}/{file}',
  {
    summary: 'Publish a file of a package',
    access: packageWriter(),
    params: inFile,
    fails: [400, 404, 408, 409, 413, 507],
    returns: [201],
    sends: 'stream',
  },
  async (ask) => {
    const { sql, params, caller, tools } = ask
    const fault = genericFault(params)
    if (fault !== undefined) throw badRequest(fault)
    const place = { owner: caller.subject.id, type, name: params.package }
    // Before a body is sent for nothing; what counts is the constraint.
    if (await fileByName(sql, place, params.version, params.file)) throw conflict(SAY_PUBLISHED)
    return async (req, res) => {
      await takeIn(tools, { req, res }, { bytes: tools.packageLimits.file }, async (content) => {
        const { version, file } = params
        await publish(ask, { type, name: place.name, version: { version }, file, content })
      })
      res.writeHead(201, { 'Content-Length': 0 }).end()
    }
  },
)

const download = route(
  'GET /{owner}/generic/{package}/{version}/{file}',
  {
    summary: 'A file of a package, or the part of it that Range asks for',
    access: packageReader(),
    params: inFile,
    fails: [404],
    returns: [200],
    also: [206, 304, 416],
    sends: 'stream',
  },
  async ({ sql, params, caller, tools }) => {
    refuseNames(params)
    const place = { owner: caller.subject.id, type, name: params.package }
    const file = found(await fileByName(sql, place, params.version, params.file))
    return async (req, res) => {
      const handle = found(await tools.blobs.open(file.sha256))
      const about = { size: file.size, etag: `"${file.sha256}"`, name: file.name }
      await sendFile(req, res, { handle, type: 'application/octet-stream', ...about })
    }
  },
)

const deleteFile = route(
  'DELETE /{owner}/generic/{package}/{version}/{file}',
  {
    summary: 'Delete a file of a package; with its last file the version goes',
    access: packageWriter(),
    params: inFile,
    fails: [404],
    returns: [204],
  },
  async (ask) => {
    const { params, caller } = ask
    refuseNames(params)
    await removeFile(ask, { owner: caller.subject.id, type, name: params.package }, params)
  },
)

const deleteVersion = route(
  'DELETE /{owner}/generic/{package}/{version}',
  {
    summary: 'Delete a version of a package with all its files',
    access: packageWriter(),
    params: inVersion,
    fails: [404],
    returns: [204],
  },
  async (ask) => {
    const { params, caller } = ask
    refuseNames(params)
    await removeVersion(ask, { owner: caller.subject.id, type, name: params.package }, params.version)
  },
)

export const genericRoutes = [upload, download, deleteFile, deleteVersion]

/** What cannot be called so is not there. @throws Problem 404 */
function refuseNames(params: GenericNames): void {
  if (genericFault(params) !== undefined) throw notFound()
}
