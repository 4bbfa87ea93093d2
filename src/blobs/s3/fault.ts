import { StoreError } from '../store-error.ts'

/** Statuses and codes after which the same request may succeed a moment later. */
const passingStatuses = [408, 429, 500, 502, 503, 504]
const passingCodes = ['OperationAborted', 'RequestTimeout', 'SlowDown']

/** Codes of a store that has no space left. */
const full = /Full$|^Quota|QuotaExceeded|^InsufficientStorage|^InsufficientCapacity/

/** Maximum length of a store's message in the log. */
const maxMessage = 200

/** The error for a response that is not the expected one; its body may be empty, as for HEAD. */
export function faultOf(request: string, status: number, body: string): StoreError {
  const code = elementOf(body, 'Code')
  const message = elementOf(body, 'Message').slice(0, maxMessage)
  const sentence = [`${request}: the store answered ${status}`, code, message].filter(Boolean).join(' ')
  if (status === 507 || full.test(code)) return new StoreError('full', sentence)
  if (passingStatuses.includes(status) || passingCodes.includes(code)) return new StoreError('away', sentence)
  return new StoreError('denied', sentence)
}

/** The text of the first element of this name in an XML text of a store; empty if there is none. */
export function elementOf(xml: string, name: string): string {
  const start = xml.indexOf(`<${name}>`)
  const end = xml.indexOf(`</${name}>`, start)
  return start === -1 || end === -1 ? '' : unescaped(xml.slice(start + name.length + 2, end))
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
}

const unescaped = (text: string) =>
  text.replace(/&(?:lt|gt|quot|apos|amp);/g, (each) => entities[each] ?? each)
