import { written } from './code.ts'
import { file } from './issues.ts'
import { each, made, type Operation, ofRepository } from './operation.ts'

/** Releases and their files; tags meet them. */

const repository = ofRepository('releases')
const newRelease = repository('POST /releases', {
  before: written,
  body: () => ({ tag_name: 'v1', target_commitish: 'main', name: 'First' }),
})
const theRelease = each(made(newRelease), async () => ({ tag: 'v1' }))
const newFile = repository('POST /releases/{id}/assets', { ...file, before: theRelease })
const theFile = made(newFile, 'attachment_id')

export const releases: readonly Operation[] = [
  newRelease,
  repository('PATCH /releases/{id}', { before: theRelease, body: () => ({ name: 'Second', draft: true }) }),
  repository('DELETE /releases/{id}', { before: theRelease }),
  repository('DELETE /releases/tags/{tag}', { before: theRelease }),
  repository('POST /tags', { before: written, body: () => ({ tag_name: 'v1', target: 'main' }) }),
  newFile,
  repository('PATCH /releases/{id}/assets/{attachment_id}', {
    before: theFile,
    body: () => ({ name: 'other.txt' }),
  }),
  repository('DELETE /releases/{id}/assets/{attachment_id}', { before: theFile }),
]
