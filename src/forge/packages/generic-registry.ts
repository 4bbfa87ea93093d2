import { OTHER_DIGESTS } from '../../blobs/upload.ts'
import { badRequest, conflict, found, notFound } from '../../http/route/problem.ts'
import { noBody, streamed } from '../../http/route/sends.ts'
import type { OnSubject } from '../auth/access.ts'
import { receiveContent } from '../blobs/content.ts'
import { route } from '../route.ts'
import { packageWriter } from './access.ts'
import { downloading, packageFile } from './download.ts'
import { type GenericNames, genericFault } from './names.ts'
import { fileByName, type PackageKey } from './package-store.ts'
import { ALREADY_PUBLISHED, publish } from './publication.ts'
import { removeFile, removeVersion } from './removal.ts'

/** The generic registry: any files under a package and a version. A file name can be published only once. */

const type = 'generic'

export const genericUploadFile = route('PUT /{owner}/generic/{package}/{version}/{file}', {
  summary: 'Publish a file of a package',
  access: packageWriter(),
  fails: [400, 404, 408, 409, 413, 503, 507],
  returns: streamed(201),
  handler: async (context) => {
    const { sql, params, caller, tools } = context
    const fault = genericFault(params)
    if (fault !== undefined) throw badRequest(fault)
    const key = { owner: caller.subject.id, type, name: params.package }
    // An early check spares the client the upload; the constraint decides.
    if (await fileByName(sql, key, params.version, params.file)) throw conflict(ALREADY_PUBLISHED)
    return async (req, res) => {
      const options = { bytes: tools.uploadLimits.package, others: OTHER_DIGESTS }
      await receiveContent(tools, { req, res }, options, async (content) => {
        const { version, file } = params
        await publish(context, { type, name: key.name, version: { version }, file, content })
      })
      res.writeHead(201, { 'Content-Length': 0 }).end()
    }
  },
})

export const genericDownloadFile = route('GET /{owner}/generic/{package}/{version}/{file}', {
  summary: 'A file of a package, or the part of it that Range asks for',
  ...downloading,
  handler: async (context) => {
    const { sql, params } = context
    const key = existing(context)
    return packageFile(context, found(await fileByName(sql, key, params.version, params.file)))
  },
})

export const genericDeleteFile = route('DELETE /{owner}/generic/{package}/{version}/{file}', {
  summary: 'Delete a file of a package, and with its last file the version',
  access: packageWriter(),
  fails: [404],
  returns: noBody(204),
  handler: (context) => removeFile(context, existing(context), context.params),
})

export const genericDeleteVersion = route('DELETE /{owner}/generic/{package}/{version}', {
  summary: 'Delete a version of a package with all its files',
  access: packageWriter(),
  fails: [404],
  returns: noBody(204),
  handler: (context) => removeVersion(context, existing(context), context.params.version),
})

/** The package that a path names. Invalid names are answered like unknown ones. @throws Problem 404 */
function existing({ caller, params }: { caller: OnSubject; params: GenericNames }): PackageKey {
  if (genericFault(params) !== undefined) throw notFound()
  return { owner: caller.subject.id, type, name: params.package }
}
