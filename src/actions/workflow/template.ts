import { data } from '@actions/expressions'
import { evaluate, type Parsed, parseExpression, type Scope } from './expression.ts'
import { refuse } from './fault.ts'
import { Budget } from './functions.ts'
import { isTruthy, type Value, valueFrom } from './values.ts'

/** A text cut at its expressions: `source` is what stands between `${{` and `}}`. */
export type Piece = { readonly text: string } | { readonly source: string }

/** Cuts a text at its expressions. An apostrophe begins a string, in which `}}` ends nothing. @throws WorkflowFault */
export function piecesOf(template: string): Piece[] {
  const pieces: Piece[] = []
  for (let at = 0; at < template.length; ) {
    const start = template.indexOf('${{', at)
    if (start < 0) return [...pieces, { text: template.slice(at) }]
    if (start > at) pieces.push({ text: template.slice(at, start) })
    const end = endOfExpression(template, start + 3)
    pieces.push({ source: template.slice(start + 3, end) })
    at = end + 2
  }
  return pieces
}

function endOfExpression(template: string, from: number): number {
  let quoted = false
  for (let at = from; at < template.length; at++) {
    const character = template[at]
    if (character === "'") quoted = !quoted
    else if (!quoted && character === '}' && template[at + 1] === '}') return at
  }
  return refuse('an expression has no end: "}}" is missing')
}

export const hasExpression = (text: string) => text.includes('${{')

/** What the expressions of a text ask for; nothing for a text without any. @throws WorkflowFault */
export function parseTemplate(template: string): Parsed[] {
  return piecesOf(template).flatMap((piece) => ('source' in piece ? [parseExpression(piece.source)] : []))
}

/** A text that is one expression and nothing else is its value, any other a text. @throws WorkflowFault */
export function fill(template: string, scope: Scope): Value {
  const pieces = piecesOf(template)
  const [only] = pieces
  if (pieces.length === 1 && only && 'source' in only) return evaluate(only.source, scope)
  const budget = new Budget()
  return valueFrom(pieces.map((piece) => textOfPiece(piece, scope, budget)).join(''))
}

const textOfPiece = (piece: Piece, scope: Scope, budget: Budget) =>
  'text' in piece ? piece.text : evaluate(piece.source, scope, budget).coerceString()

/** The same as a text. @throws WorkflowFault */
export const fillText = (template: string, scope: Scope) => fill(template, scope).coerceString()

/** The same where a yes or no is wanted. Inputs are texts: `false` is no. @throws WorkflowFault */
export function fillFlag(template: string, scope: Scope): boolean {
  const value = fill(template, scope)
  return value instanceof data.StringData ? value.value === 'true' : isTruthy(value)
}
