import * as v from 'valibot'
import { mapPage, type Page, type Paging } from '../../db/page.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { accountById } from '../accounts/account-store.ts'
import type { Viewer } from '../accounts/user.shape.ts'
import { type SignedInOnSubject, siteAdmin } from '../auth/access.ts'
import { nameParam, queryTrimmed } from '../protocol/query.ts'
import { type ForgeContext, route } from '../route.ts'
import { packagesOf } from './access.ts'
import { Package, PackageFile, printPackage, printPackageFile } from './package.shape.ts'
import { type ListedPackage, pageOfPackages } from './package-list-store.ts'
import { filesOf, packageByName, versionByName } from './package-store.ts'
import { removePackage, removeVersion } from './removal.ts'

/** The types that the specification lists; this server keeps the generic and the npm ones. */
const TYPES =
  `alpine cargo chef composer conan conda container cran debian generic go helm maven npm nuget pub pypi rpm
  rubygems swift terraform vagrant`.split(/\s+/)
/** An unknown type has no packages, as in Gitea: registries of other servers have more. */
const type = v.pipe(queryTrimmed, v.metadata({ enum: TYPES }))
const filters = { type, q: queryTrimmed, ...pageQuery() }
const inVersion = { type: nameParam }

export const adminListPackages = route('GET /admin/packages', {
  summary: 'Versions of all packages, newest first',
  access: siteAdmin(),
  ...pagesOf(Package),
  query: filters,
  handler: async ({ sql, query, caller, from }) =>
    printed(await pageOfPackages(sql, query, query), { viewer: caller.me, host: from.host }),
})

export const listPackages = route('GET /packages/{owner}', {
  summary: 'Versions of the packages of an owner, newest first',
  access: packagesOf(),
  ...pagesOf(Package),
  query: filters,
  handler: async ({ sql, query, caller, from }) => {
    const page = await pageOfPackages(sql, { ...query, owner: caller.subject.id }, query)
    return printed(page, { viewer: caller.me, host: from.host })
  },
})

export const getPackage = route('GET /packages/{owner}/{type}/{name}/{version}', {
  summary: 'A version of a package',
  access: packagesOf(),
  params: inVersion,
  returns: json(200, Package),
  handler: async ({ sql, params, caller, from }) => {
    const { subject: owner, me } = caller
    const row = found(await versionByName(sql, { ...params, owner: owner.id }, params.version))
    const creator = row.creator_id === null ? undefined : await accountById(sql, row.creator_id)
    return printPackage(row, { owner, creator }, { viewer: me, host: from.host })
  },
})

export const listPackageFiles = route('GET /packages/{owner}/{type}/{name}/{version}/files', {
  summary: 'Files of a version',
  access: packagesOf(),
  params: inVersion,
  returns: json(200, v.array(PackageFile)),
  handler: async ({ sql, params, caller }) => {
    const row = found(await versionByName(sql, { ...params, owner: caller.subject.id }, params.version))
    return (await filesOf(sql, row.id)).map(printPackageFile)
  },
})

export const deletePackageVersion = route('DELETE /packages/{owner}/{type}/{name}/{version}', {
  summary: 'Delete a version of a package',
  access: packagesOf(),
  params: inVersion,
  returns: noBody(204),
  handler: (context) =>
    removeVersion(context, { ...context.params, owner: context.caller.subject.id }, context.params.version),
})

export const listPackageVersions = route('GET /packages/{owner}/{type}/{name}', {
  summary: 'Versions of a package, newest first',
  access: packagesOf(),
  params: inVersion,
  ...pagesOf(Package),
  handler: async (context) => printed(await versionsNamed(context, context.query), viewOf(context)),
})

export const getLatestPackageVersion = route('GET /packages/{owner}/{type}/{name}/-/latest', {
  summary: 'The newest version of a package',
  access: packagesOf(),
  params: inVersion,
  returns: json(200, Package),
  handler: async (context) => {
    const { rows } = printed(await versionsNamed(context, { page: 1, limit: 1 }), viewOf(context))
    return found(rows[0])
  },
})

export const deletePackage = route('DELETE /packages/{owner}/{type}/{name}', {
  summary: 'Delete a package with all its versions',
  access: packagesOf(),
  params: inVersion,
  returns: noBody(204),
  handler: (context) => removePackage(context, { ...context.params, owner: context.caller.subject.id }),
})

type InOwner = ForgeContext<SignedInOnSubject, { params: { type: string; name: string } }>

/** A page of the versions of the package that a path names. @throws Problem 404 */
async function versionsNamed({ sql, params, caller }: InOwner, paging: Paging): Promise<Page<ListedPackage>> {
  const owner = caller.subject.id
  const { id } = found(await packageByName(sql, { ...params, owner }))
  return pageOfPackages(sql, { owner, id, type: '', q: '' }, paging)
}

const viewOf = ({ caller, from }: InOwner) => ({ viewer: caller.me, host: from.host })

function printed(page: Page<ListedPackage>, view: { viewer: Viewer; host: string }): Page<Package> {
  return mapPage(page, ({ row, ...accounts }) => printPackage(row, accounts, view))
}
