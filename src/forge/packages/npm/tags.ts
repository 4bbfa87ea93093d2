import * as v from 'valibot'
import { badRequest, found } from '../../../http/route/problem.ts'
import { json } from '../../../http/route/sends.ts'
import { record } from '../../audit/audit-trail.ts'
import { route } from '../../route.ts'
import { packageReader, packageWriter } from '../access.ts'
import { lockPackage, versionByName } from '../package-store.ts'
import { packageTarget } from '../publication.ts'
import { isTag, isTagWord } from './names.ts'
import { Done, done } from './npm.shape.ts'
import { deleteTag, npmPackage, setTags } from './npm-store.ts'
import { tagsOf } from './packument.ts'
import { withScope } from './scoped.ts'
import { packageOf } from './stored-package.ts'

/** The dist-tags of npm packages. Every package has `latest`, because clients rely on it. */

export const npmListTags = route('GET /{owner}/npm/-/package/{name}/dist-tags', {
  summary: 'Tags of a package with their versions',
  access: packageReader(),
  fails: [404],
  returns: json(200, v.record(v.string(), v.string())),
  handler: async ({ sql, params, caller }) => tagsOf(await packageOf(sql, caller, params.name)),
})

export const npmListTagsScoped = withScope('GET /{owner}/npm/-/package/{scope}/{name}/dist-tags', npmListTags)

export const npmSetTag = route('PUT /{owner}/npm/-/package/{name}/dist-tags/{tag}', {
  summary: 'Set a tag of a package to a version',
  access: packageWriter(),
  body: v.pipe(v.string(), v.minLength(1), v.maxLength(256)),
  invalid: 'the body must be a version as a JSON string',
  fails: [404],
  returns: json(200, Done),
  handler: async (context) => {
    const { params, caller, body, begin } = context
    if (!isTag(params.tag)) throw badRequest('the tag is invalid')
    const key = npmPackage(caller, params.name)
    await begin(async (tx) => {
      found(await lockPackage(tx, key))
      const row = found(await versionByName(tx, key, body), 'the package has no such version')
      await setTags(tx, row, [params.tag])
      const target = packageTarget(row, caller.subject.name)
      await record(tx, context, { action: 'package.tagged', target, details: { tag: params.tag } })
    })
    return done
  },
})

export const npmSetTagScoped = withScope(
  'PUT /{owner}/npm/-/package/{scope}/{name}/dist-tags/{tag}',
  npmSetTag,
)

export const npmDeleteTag = route('DELETE /{owner}/npm/-/package/{name}/dist-tags/{tag}', {
  summary: 'Remove a tag',
  access: packageWriter(),
  fails: [400, 404],
  returns: json(200, Done),
  handler: async (context) => {
    const { params, caller, begin } = context
    if (params.tag === 'latest') throw badRequest('latest can be moved, but not removed')
    await begin(async (tx) => {
      const { id, name } = found(await lockPackage(tx, npmPackage(caller, params.name)))
      const { tag } = found(isTagWord(params.tag) ? await deleteTag(tx, id, params.tag) : undefined)
      const target = { kind: 'package', name: `${caller.subject.name}/npm/${name}` }
      await record(tx, context, { action: 'package.untagged', target, details: { tag } })
    })
    return done
  },
})

export const npmDeleteTagScoped = withScope(
  'DELETE /{owner}/npm/-/package/{scope}/{name}/dist-tags/{tag}',
  npmDeleteTag,
)
