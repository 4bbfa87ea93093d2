import { pageFrom } from '../../db/page.ts'
import { newestRefs } from '../../git/repository/cache/newest-refs.ts'
import { objectOfRef } from '../../git/repository/revisions.ts'
import { pageQuery } from '../../http/route/page.ts'
import { conflict, found } from '../../http/route/problem.ts'
import { json, noBody, paged } from '../../http/route/sends.ts'
import { codeSeen, codeWritten } from '../repos/access.ts'
import { gitValue, openCode, openToWrite } from '../repos/code.ts'
import { hasRelease } from '../repos/release-store.ts'
import { route } from '../route.ts'
import { CreateTagOption } from './tag.option.ts'
import { Tag } from './tag.shape.ts'
import { createTag, deleteTag } from './tag-changes.ts'
import { maxTags, printTags } from './tag-list.ts'

/** Tags. The server changes one as a push does (`changeRefs`). */

export const repoListTags = route('GET /repos/{owner}/{repo}/tags', {
  summary: 'Tags of a repository, the newest first',
  access: codeSeen(),
  query: pageQuery(),
  fails: [404],
  returns: paged(Tag),
  shared: 'until written',
  handler: async (context) => {
    const code = await openCode(context)
    const page = pageFrom(gitValue(await newestRefs(code, 'tags', maxTags)), context.query)
    return { ...page, rows: await printTags(code, page.rows) }
  },
})

export const repoGetTag = route('GET /repos/{owner}/{repo}/tags/{tag...}', {
  summary: 'A tag',
  access: codeSeen(),
  fails: [404],
  returns: json(200, Tag),
  shared: 'until written',
  handler: async (context) => {
    const { tag: name } = context.params
    const code = await openCode(context)
    const refusal = `tag doesn't exist: ${name}`
    const id = found(gitValue(await objectOfRef(code, `refs/tags/${name}`)), refusal)
    return found((await printTags(code, [{ name, id }]))[0], refusal)
  },
})

export const repoCreateTag = route('POST /repos/{owner}/{repo}/tags', {
  summary: 'Create a tag, with a message or without',
  access: codeWritten(),
  body: CreateTagOption,
  fails: [404, 409, 423, 503],
  returns: json(201, Tag),
  runsGit: true,
  handler: async (context) => {
    const { tag_name: name, target = '', message = '' } = context.body
    const code = await openToWrite(context)
    const id = await createTag(context, code, { name, target, message })
    return found((await printTags(code, [{ name, id }]))[0])
  },
})

export const repoDeleteTag = route('DELETE /repos/{owner}/{repo}/tags/{tag...}', {
  summary: 'Delete a tag, unless it has a release',
  access: codeWritten(),
  fails: [404, 409, 423, 503],
  returns: noBody(204),
  runsGit: true,
  handler: async (context) => {
    const { caller, params, sql } = context
    const code = await openToWrite(context)
    if (await hasRelease(sql, caller.repo.id, params.tag))
      throw conflict('a tag attached to a release cannot be deleted directly')
    await deleteTag(context, code, params.tag)
  },
})
