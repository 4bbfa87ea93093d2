import { pageQuery } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { json, noBody, paged } from '../../http/route/sends.ts'
import { numberParam, queryFilter } from '../protocol/query.ts'
import { releasesSeen, releasesWritten } from '../repos/access.ts'
import { latestRelease, pageOfReleases, releaseByTag } from '../repos/release-store.ts'
import { route } from '../route.ts'
import { releaseIn, releaseToChange, requireNotArchived, requireShown, seesDrafts } from './access.ts'
import { CreateReleaseOption, EditReleaseOption } from './release.option.ts'
import { printRelease, printReleases, Release } from './release.shape.ts'
import { createRelease, editRelease, removeRelease } from './release-changes.ts'
import { viewOf } from './view.ts'

const onRelease = { id: numberParam }

export const repoListReleases = route('GET /repos/{owner}/{repo}/releases', {
  summary: 'Releases of a repository, the newest first; drafts only for those who may change them',
  access: releasesSeen(),
  query: { draft: queryFilter, 'pre-release': queryFilter, ...pageQuery() },
  returns: paged(Release),
  handler: async (context) => {
    const { caller, query, sql } = context
    const filter = { draft: query.draft, prerelease: query['pre-release'], seesDrafts: seesDrafts(caller) }
    const page = await pageOfReleases(sql, { repository: caller.repo.id, ...filter }, query)
    return { ...page, rows: await printReleases(sql, page.rows, viewOf(context)) }
  },
})

export const repoGetLatestRelease = route('GET /repos/{owner}/{repo}/releases/latest', {
  summary: 'The newest release that is neither a draft nor a prerelease',
  access: releasesSeen(),
  fails: [404],
  returns: json(200, Release),
  handler: async (context) => {
    const { caller, sql } = context
    const row = found(await latestRelease(sql, caller.repo.id))
    return printRelease(sql, row, viewOf(context))
  },
})

export const repoGetRelease = route('GET /repos/{owner}/{repo}/releases/{id}', {
  summary: 'A release',
  access: releasesSeen(),
  params: onRelease,
  fails: [404],
  returns: json(200, Release),
  handler: async (context) => printRelease(context.sql, await releaseIn(context), viewOf(context)),
})

export const repoGetReleaseByTag = route('GET /repos/{owner}/{repo}/releases/tags/{tag}', {
  summary: 'The release of a tag',
  access: releasesSeen(),
  fails: [404],
  returns: json(200, Release),
  handler: async (context) => {
    const { caller, params, sql } = context
    const row = requireShown(caller, await releaseByTag(sql, caller.repo.id, params.tag))
    return printRelease(sql, row, viewOf(context))
  },
})

export const repoCreateRelease = route('POST /repos/{owner}/{repo}/releases', {
  summary: 'Create a release, and its tag unless there is one or it is a draft',
  access: releasesWritten(),
  body: CreateReleaseOption,
  fails: [403, 404, 409, 422, 423, 503],
  returns: json(201, Release),
  runsGit: true,
  handler: (context) => createRelease(context, context.body),
})

export const repoEditRelease = route('PATCH /repos/{owner}/{repo}/releases/{id}', {
  summary: 'Change a release; omitted and empty members keep their values',
  access: releasesWritten(),
  params: onRelease,
  body: EditReleaseOption,
  fails: [403, 404, 409, 422, 423, 503],
  returns: json(200, Release),
  runsGit: true,
  handler: async (context) => editRelease(context, await releaseToChange(context), context.body),
})

export const repoDeleteRelease = route('DELETE /repos/{owner}/{repo}/releases/{id}', {
  summary: 'Delete a release with its files; its tag stays',
  access: releasesWritten(),
  params: onRelease,
  fails: [404, 423],
  returns: noBody(204),
  handler: async (context) => removeRelease(context, await releaseToChange(context)),
})

export const repoDeleteReleaseByTag = route('DELETE /repos/{owner}/{repo}/releases/tags/{tag}', {
  summary: 'Delete the release of a tag with its files; the tag stays',
  access: releasesWritten(),
  fails: [404, 423],
  returns: noBody(204),
  handler: async (context) => {
    const { caller, params, sql } = context
    const row = requireShown(caller, await releaseByTag(sql, caller.repo.id, params.tag))
    requireNotArchived(caller)
    await removeRelease(context, row)
  },
})
