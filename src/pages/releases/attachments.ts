import { attachmentSeen } from '../../forge/attachments/access.ts'
import {
  attachmentByName,
  attachmentByUuid,
  countDownload,
  type StoredAttachment,
} from '../../forge/attachments/attachment-store.ts'
import { mediaTypeOf } from '../../forge/code/media-type.ts'
import { sendsFile, untrustedPolicy } from '../../forge/code/raw-file.ts'
import { storedFile } from '../../forge/packages/download.ts'
import { requireShown } from '../../forge/releases/access.ts'
import { type OnRepository, releasesSeen } from '../../forge/repos/access.ts'
import { latestRelease, releaseByTag } from '../../forge/repos/release-store.ts'
import type { ForgeContext } from '../../forge/route.ts'
import { found } from '../../http/route/problem.ts'
import { ReplyWith, type Stream } from '../../http/route/results.ts'
import { textAs } from '../../http/route/sends.ts'
import { htmlType } from '../profile.ts'
import { publicPage, route } from '../route.ts'

/** Files of releases, issues and comments, at the addresses that the API gives for them. */

const download = { ...sendsFile, fails: [404, 503] } as const

export const getAttachment = route('GET /attachments/{uuid}', {
  ...download,
  summary: 'A file of a release, an issue or a comment, or the part of it that Range asks for',
  access: attachmentSeen(),
  handler: async (context) => {
    const row = found(await attachmentByUuid(context.sql, context.params.uuid))
    return counted(context, requireShown(context.caller, row))
  },
})

export const getRepositoryAttachment = route('GET /{owner}/{repo}/attachments/{uuid}', {
  summary: 'Redirect to a file: `/attachments/{uuid}` in a text of a repository leads here',
  access: publicPage,
  returns: textAs(303, htmlType),
  handler: ({ params, from: { host } }) =>
    new ReplyWith('', {
      status: 303,
      headers: { Location: `${host}attachments/${encodeURIComponent(params.uuid)}` },
    }),
})

export const getReleaseFile = route('GET /{owner}/{repo}/releases/download/{tag}/{name}', {
  ...download,
  summary: 'A file of the release of a tag, or of the `latest` one, or the part of it that Range asks for',
  access: releasesSeen(),
  handler: async (context) => {
    const { caller, params, sql } = context
    const { id } = caller.repo
    const tagged = await releaseByTag(sql, id, params.tag)
    const release = tagged ?? (params.tag === 'latest' ? await latestRelease(sql, id) : undefined)
    const row = await attachmentByName(sql, requireShown(caller, release).id, params.name)
    return counted(context, found(row))
  },
})

/** Sends a file; each request for it counts, as in the original. Texts show pictures among them. */
function counted(
  context: Pick<ForgeContext<OnRepository>, 'tools' | 'from' | 'sql'>,
  { id, name, size, sha256, uuid }: StoredAttachment,
): Stream {
  const send = storedFile(context, { name, size, sha256, etag: `"${uuid}"`, type: mediaTypeOf(name) })
  return async (req, res, from) => {
    if (req.method === 'GET') await countDownload(context.sql, id)
    await send(req, res.setHeader('Content-Security-Policy', untrustedPolicy), from)
  }
}
