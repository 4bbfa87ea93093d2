import { createHash } from 'node:crypto'
import type { OpenApi, Operation } from '../http/route/openapi.ts'
import { Html, html } from './html.ts'
import { anchorOf, membersOf, printSchema } from './schema.ts'
import { style } from './style.ts'

/** A document and its address relative to the page. */
interface Chapter {
  document: OpenApi
  address: string
}

/** Allows only the page's own style: no script, request or frame (Content Security Policy 3). */
export const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A page that lists all operations and schemas of the documents. */
export function referencePage(chapters: readonly Chapter[]): string {
  const contents = chapters.map(
    ({ document: { info, paths }, address }) => html`
<li><a href="#${slug(info.title)}">${info.title}</a>, ${operationsOf(paths).length} operations (version ${info.version},
<a href="${address}">as OpenAPI</a>)</li>`,
  )
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Forgehall: reference of its APIs</title>
<style>${new Html(style)}</style>
<h1>Reference</h1>
<ul>${contents}
</ul>${chapters.map(({ document }) => chapterOf(document))}
</html>
`.text
}

/** An operation with its method and path. */
interface Addressed {
  method: string
  path: string
  operation: Operation
}

function operationsOf(paths: OpenApi['paths']): Addressed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

function chapterOf({ info, paths, components }: OpenApi): Html {
  const groups = new Map<string, Addressed[]>()
  for (const each of operationsOf(paths)) {
    const name = groupOf(each.path)
    groups.set(name, [...(groups.get(name) ?? []), each])
  }
  return html`
<h2 id="${slug(info.title)}">${info.title}</h2>${[...groups].map(
    ([name, operations]) => html`
<h3>${name}</h3>${operations.map(printOperation)}`,
  )}
<h3>Shapes</h3>${Object.entries(components.schemas).map(([name, schema]) => printShape(name, schema))}`
}

/** `/api/v1/orgs/{org}` belongs to `orgs`. */
const groupOf = (path: string) => path.replace(/^\/api(?:\/v\d+)?\//, '').split('/')[0] ?? ''

function printOperation({ method, path, operation }: Addressed): Html {
  const { operationId, summary, deprecated, parameters, requestBody, responses } = operation
  const answers = Object.entries(responses).map(
    ([status, { description, content }]) => html`
<tr><td>${status}</td><td>${description}</td><td class="kind">${printContent(content)}</td></tr>`,
  )
  const parameterRows = parameters.map(
    ({ name, in: location, schema }) => html`
<tr><td><code>${name}</code></td><td>${location}</td><td class="kind">${printSchema(schema)}</td></tr>`,
  )
  const body =
    requestBody &&
    html`
<tr><td>body</td><td></td><td class="kind">${printContent(requestBody.content)}</td></tr>`
  return html`
<details id="${operationId}"><summary${new Html(deprecated ? ' class="gone"' : '')}><b>${method}</b><code>${path}</code>
<span class="say">${summary}</span></summary>
<table>${parameterRows}${body}</table>
<table>${answers}</table></details>`
}

/** The content of a body: its schema for JSON, else the media type. */
function printContent(content: Operation['responses'][string]['content']): Html {
  const [first] = Object.entries(content ?? {})
  if (!first) return html``
  const [media, { schema }] = first
  return media === 'application/json' ? printSchema(schema) : html`${media}`
}

function printShape(name: string, schema: unknown): Html {
  const members = membersOf(schema).map(
    ({ name, kind, optional }) => html`
<tr><td><code>${name}</code></td><td>${optional ? 'may be missing' : ''}</td><td class="kind">${kind}</td></tr>`,
  )
  return html`
<details id="${anchorOf(name)}"><summary><code>${name}</code></summary>
<table>${members}</table></details>`
}

const slug = (title: string) => title.toLowerCase().replace(/[^a-z0-9]+/g, '-')
