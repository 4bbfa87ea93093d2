import * as v from 'valibot'
import { decode } from '../http/pipeline/body.ts'
import type { ApiProfile } from '../http/route/api.ts'
import { badRequest, notFound, Problem } from '../http/route/problem.ts'
import { textAs } from '../http/route/sends.ts'
import { errorPage, messageOf } from './error-page.ts'
import { hasSession } from './session/session.ts'

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
