import * as v from 'valibot'
import { decode } from '../http/pipeline/body.ts'
import type { ApiProfile, PageRequest } from '../http/route/api.ts'
import { badRequest, notFound, Problem } from '../http/route/problem.ts'
import { textAs } from '../http/route/sends.ts'
import { type Html, html } from './html.ts'
import { page } from './layout.ts'
import { hasSession } from './session/session.ts'
import type { Visitor } from './session/viewer.ts'

/**
 * Pages run only scripts and styles of this server, and load pictures and films from anywhere on the web (Content
 * Security Policy 3). No other site may frame them, and forms are sent nowhere else.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "img-src 'self' http: https:",
  'media-src http: https:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Media type of pages. */
export const htmlType = 'text/html; charset=utf-8'

/** The declaration of a page about something that may be missing. */
export const pageReply = { fails: [404], returns: textAs(200, htmlType) } as const

/** The declaration of a form, which leads to a page. */
export const formReply = {
  body: v.record(v.string(), v.string()),
  alwaysValid: true,
  returns: textAs(303, htmlType),
} as const

/** How pages answer: programs that do not ask for HTML get errors as JSON, in the form of the site. */
export const pageProfile: ApiProfile = {
  base: '',
  json: 'application/json; charset=utf-8',
  anyOrigin: false,
  headers: Object.entries({
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    // With no-referrer, browsers would send forms with the origin "null".
    'Referrer-Policy': 'same-origin',
    Vary: 'Accept, Accept-Encoding, Cookie',
  }).flat(),
  isPersonal: ({ authorization, cookie }) => authorization !== undefined || hasSession(cookie),
  readBody: (bytes, { contentType }) => readForm(bytes, contentType),
  problem: (problem) => ({ error: messageOf(problem) }),
  errorPage,
  refuse: (issues) => badRequest(issues[0]?.message ?? 'invalid request'),
  unknownPath: () => notFound(),
  wrongMethod: () => new Problem(405, 'method not allowed'),
}

/**
 * The fields of a form; of a repeated one the last value.
 * @throws Problem 400, 415
 */
function readForm(bytes: Buffer, contentType: string | undefined): Record<string, string> {
  const media = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (media !== 'application/x-www-form-urlencoded')
    throw new Problem(415, 'the body must be a form (application/x-www-form-urlencoded)')
  const fields = Object.fromEntries(new URLSearchParams(decode(bytes)))
  for (const value of Object.values(fields)) {
    if (value.includes('\0')) throw badRequest('the form must not contain NUL characters')
  }
  return fields
}

/** Missing and invisible things have the same message. */
const messageOf = ({ status, message }: Problem) => (status === 404 ? 'not found' : message)

/** What has happened, and what to do next. */
const explanations: Readonly<Record<number, readonly [what: string, next: string]>> = {
  400: ['The server does not understand this.', 'Check what you have sent.'],
  401: ['You have to sign in to see this.', 'Sign in, and you get there.'],
  403: ['You may not see or do this.', 'Whoever it belongs to can give you the right.'],
  404: [
    'There is nothing here, or nothing that you may see.',
    'Check the address, or look for it from the start.',
  ],
  409: ['This does not fit what is here now.', 'Load the page once more, and try it again.'],
  413: ['This is more than the server takes.', 'Send less.'],
  422: ['This cannot be done in this way.', 'Change what you have sent.'],
  429: ['Too many sign-ins have failed, or there were too many requests.', 'Wait a minute, and try again.'],
  500: ['The server has made a mistake.', 'Try again; if it stays, tell those who run this server.'],
  503: ['The server is busy, or its database is away.', 'Try again in a moment.'],
}

/** Nothing that was sent is at fault, and Back leads to no form. */
const refusesReader: readonly number[] = [401, 403, 404]

/** The text of an error page; the script of forms says its heading, which it finds by the id, and what follows that. */
export function explanationOf(problem: Problem, level: 'h1' | 'h2'): Html {
  const { status } = problem
  const [what, next] = explanations[status] ?? ['This did not work.', 'Try it in another way.']
  const heading = level === 'h1' ? html`<h1 id="failure">${what}</h1>` : html`<h2 id="failure">${what}</h2>`
  return html`${heading}
<p>${next}</p>
${refusesReader.includes(status) ? undefined : html`<p>If you have sent a form, go back: what you wrote is still there.</p>`}
<p class="meta">The server answered ${status}: ${messageOf(problem)}.</p>`
}

/** An error where nobody has looked up who asks. */
function errorPage(problem: Problem, { host, headers }: PageRequest): string {
  return errorPageFor(problem, host, hasSession(headers.cookie) ? 'unknown' : undefined)
}

/** An error for this reader; undefined: nobody is signed in. */
export function errorPageFor(
  problem: Problem,
  host: string,
  caller: Visitor | 'unknown' | undefined,
): string {
  const { status } = problem
  const main = html`${explanationOf(problem, 'h1')}
<p class="actions"><a class="button" href="${host}">To the start</a>
${refusesReader.includes(status) && !caller ? html`<a class="button quiet" href="${host}login">Sign in</a>` : undefined}</p>`
  return page({ host, caller, title: String(status), main })
}
