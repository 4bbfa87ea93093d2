import { accountById } from '../forge/accounts/account-store.ts'
import type { OnSubject, SignedInOnSubject } from '../forge/auth/access.ts'
import { permits } from '../forge/auth/scopes.ts'
import { packagesOf, packagesSeen, writesPackages } from '../forge/packages/access.ts'
import { downloading, packageFile } from '../forge/packages/download.ts'
import { type Package, printPackage } from '../forge/packages/package.shape.ts'
import { pageOfPackages } from '../forge/packages/package-list-store.ts'
import { filesOf, type PackageFileRow, versionByName } from '../forge/packages/package-store.ts'
import { deletePackage, deletePackageVersion } from '../forge/packages/packages.ts'
import { nameParam, queryTrimmed } from '../forge/protocol/query.ts'
import { pageQuery } from '../http/route/page.ts'
import { found } from '../http/route/problem.ts'
import type { HandlerBase } from '../http/route/route.ts'
import { id } from '../http/route/values.ts'
import { askedForm, type Fields, unknownAction } from './form.ts'
import { bytesOf, counted, type Html, html, noneOf, sizeOf, timeOf, withQuery } from './html.ts'
import { card, listOf, page, pageLinks } from './layout.ts'
import { rowOf } from './list.ts'
import { noticeOf } from './operations/fields.ts'
import { type Asked, operationForm, replyToForm } from './operations/form.ts'
import type { Refusal } from './operations/refusal.ts'
import { pageReply } from './profile.ts'
import { programLines } from './program-lines.ts'
import { type PageTools, route } from './route.ts'

/** How many versions and files a page shows. */
const maximum = { versions: 50, files: 500 }

const inVersion = { type: nameParam }
export const getPackagesPage = route('GET /{owner}/-/packages', {
  ...pageReply,
  summary: 'Versions of the packages of an owner, newest first, as a page',
  access: packagesSeen(),
  query: { q: queryTrimmed, type: queryTrimmed, page: pageQuery().page },
  handler: async ({ caller, query, sql, from: { host } }) => {
    const { subject: owner, me } = caller
    const { q, type, page: number } = query
    const paging = { page: number, limit: maximum.versions }
    const list = await pageOfPackages(sql, { q, type, owner: owner.id }, paging)
    const shown = list.rows.map(({ row, ...accounts }) => printPackage(row, accounts, { viewer: me, host }))
    const main = html`${titleOf(host, owner.name)}
${card('packages', sizeOf(list, 'version'))`${listOf(
  shown.map((each) =>
    rowOf(
      html`<a href="${each.html_url}">${each.name} ${each.version}</a> <span class="badge">${each.type}</span>`,
      html`by ${each.creator.login} ${timeOf(each.created_at)}`,
    ),
  ),
  noneOf(['package'], { isFiltered: q + type !== '', page: number }),
)}`}
${pageLinks(list, `${host}${owner.name}/-/packages`, { q, type })}
${me && card('publish', 'Publish')`${programLines('publish a package', 'A file, and where npm publishes packages of this scope, with a token that may write packages:', { host, owner: owner.name })}`}`
    return page({ host, caller, title: `Packages of ${owner.name}`, main })
  },
})

export const getPackagePage = route('GET /{owner}/-/packages/{type}/{name}/{version}', {
  ...pageReply,
  summary: 'A version of a package with its files, as a page',
  access: packagesSeen(),
  params: inVersion,
  handler: ({ caller, params, ...context }) => versionPage(caller, params, context),
})

export const deletePackageByPage = route('POST /{owner}/-/packages/{type}/{name}/{version}', {
  ...operationForm(packagesOf()),
  summary: 'Delete a version of a package, or the package with all its versions',
  params: inVersion,
  fails: [400, 404],
  handler: ({ caller: sender, params, body, ...context }) =>
    replyToForm(sender, body, {
      ask: (caller) => askedOf(caller, params, body),
      again: (caller, refusal) => versionPage(caller, params, context, refusal),
    }),
})

export const getPackageFile = route('GET /{owner}/-/packages/{type}/{name}/{version}/files/{file}', {
  summary: 'A file of a version, or the part of it that Range asks for',
  ...downloading,
  access: packagesSeen(),
  params: { ...inVersion, file: id },
  fails: [404],
  handler: async (context) => {
    const { caller, params, sql } = context
    const key = { ...params, owner: caller.subject.id }
    const row = found(await versionByName(sql, key, params.version))
    const file = found((await filesOf(sql, row.id)).find((each) => each.id === params.file))
    return packageFile(context, file)
  },
})

interface Version {
  type: string
  name: string
  version: string
}

/** @throws Problem 400 an unknown action */
function askedOf({ subject }: SignedInOnSubject, { type, name, version }: Version, fields: Fields): Asked {
  const params = { owner: subject.name, type, name, version }
  const list = `${subject.name}/-/packages`
  if (fields.action === 'delete-version')
    return { calls: [[deletePackageVersion, { params }]], leadsTo: list }
  if (fields.action === 'delete-package') return { calls: [[deletePackage, { params }]], leadsTo: list }
  throw unknownAction()
}

/** The page of a version; `refusal`: why it was not deleted. @throws Problem 404 */
async function versionPage(
  caller: OnSubject,
  params: Version,
  { sql, from: { host } }: Pick<HandlerBase<PageTools>, 'sql' | 'from'>,
  refusal?: Refusal,
): Promise<string> {
  const { subject: owner, me } = caller
  const row = found(await versionByName(sql, { ...params, owner: owner.id }, params.version))
  const creator = row.creator_id === null ? undefined : await accountById(sql, row.creator_id)
  const shown = printPackage(row, { owner, creator }, { viewer: me, host })
  const files = await filesOf(sql, row.id)
  const main = html`${noticeOf(undefined, refusal)}
${titleOf(host, owner.name)}
<h2>${shown.name} ${shown.version} <span class="badge">${shown.type}</span></h2>
<div class="panel">
<div class="column">
${card('install', 'Install')`<pre tabindex="0" role="region" aria-label="Commands"><code>${commandsFor(shown, files, host)}</code></pre>`}
${fileSection(shown, files)}
</div>
${card('about', 'About')`<dl class="facts">
<dt>By</dt><dd><a href="${shown.creator.html_url}">${shown.creator.login}</a></dd>
<dt>Published</dt><dd>${timeOf(shown.created_at)}</dd>
<dt>Versions</dt><dd><a href="${withQuery(`${host}${owner.name}/-/packages`, { q: shown.name, type: shown.type })}">All versions</a></dd>
</dl>
${writesPackages(caller) && (!caller.token || permits(caller.token.scopes, ['package'], 'write')) ? deletionForms(shown) : undefined}`}
</div>`
  return page({ host, caller, title: `${shown.name} ${shown.version}`, main })
}

function deletionForms({ html_url: address, name, version }: Package): Html {
  const form = (action: string, thing: string, question: string) =>
    askedForm({
      address,
      text: `Delete the ${thing}`,
      question: `${question} Nobody can undo this.`,
      answer: `Delete the ${thing} now`,
      fields: { action },
    })
  return html`<div class="actions">
${form('delete-version', 'version', `Delete ${name} ${version} with its files?`)}
${form('delete-package', 'package', `Delete ${name} with all its versions?`)}
</div>`
}

const titleOf = (host: string, owner: string) =>
  html`<div class="title"><h1><a href="${host}${owner}">${owner}</a> / <a href="${host}${owner}/-/packages">packages</a></h1></div>`

function fileSection({ html_url }: Package, files: readonly PackageFileRow[]): Html {
  return html`<section class="card" aria-label="Files">
<table class="table">
<caption>${counted(files.length, 'file')}</caption>
<tbody>${files.slice(0, maximum.files).map(
    (file) => html`
<tr><td><a href="${html_url}/files/${file.id}">${file.name}</a></td><td class="number">${bytesOf(file.size)}</td></tr>
<tr><td colspan="2" class="meta">SHA-256 <code>${file.sha256}</code></td></tr>`,
  )}
</tbody></table>
${files.length > maximum.files ? html`<p class="meta">and ${files.length - maximum.files} more, by the API</p>` : undefined}
</section>`
}

/** What people type to get a version. */
function commandsFor(
  { type, name, version, owner }: Package,
  files: readonly PackageFileRow[],
  host: string,
): string {
  const registry = `${host}api/packages/${owner.login}/${type}/`
  if (type === 'npm') {
    const [scope] = name.startsWith('@') ? name.split('/') : []
    const setting = scope === undefined ? 'registry' : `${scope}:registry`
    return `npm config set ${setting} ${registry}\nnpm install ${name}@${version}`
  }
  const path = `${registry}${quotable(name)}/${quotable(version)}/`
  return files
    .slice(0, 5)
    .map((file) => `curl -fOJ '${path}${quotable(file.name)}'`)
    .join('\n')
}

/** A part of a path, for use between single quotes in a shell. */
const quotable = (text: string) => encodeURIComponent(text).replaceAll("'", '%27')
