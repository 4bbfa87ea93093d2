import { data } from '@actions/expressions'
import { evaluate, type Parsed, parseExpression, type Scope } from './expression.ts'
import { fail } from './fault.ts'
import { Budget } from './functions.ts'
import { isTruthy, type Value, valueFrom } from './values.ts'

/** A part of a template: literal text, or the source of an expression between `${{` and `}}`. */
type Piece = { readonly text: string } | { readonly source: string }

/** Splits a template at its expressions; inside an apostrophe string `}}` ends nothing. @throws WorkflowFault */
export function splitTemplate(template: string): Piece[] {
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
  return fail('an expression has no end: "}}" is missing')
}

export const hasExpression = (text: string) => text.includes('${{')

/** The parsed expressions of a template. @throws WorkflowFault */
export function parseTemplate(template: string): Parsed[] {
  return splitTemplate(template).flatMap((piece) =>
    'source' in piece ? [parseExpression(piece.source)] : [],
  )
}

/**
 * A template that is a single expression yields its value, any other a string. `budget`: shared with other templates.
 * @throws WorkflowFault
 */
export function evaluateTemplate(template: string, scope: Scope, budget: Budget = new Budget()): Value {
  const pieces = splitTemplate(template)
  const [only] = pieces
  if (pieces.length === 1 && only && 'source' in only) return evaluate(only.source, scope, budget)
  return valueFrom(pieces.map((piece) => textOfPiece(piece, scope, budget)).join(''))
}

const textOfPiece = (piece: Piece, scope: Scope, budget: Budget) =>
  'text' in piece ? piece.text : evaluate(piece.source, scope, budget).coerceString()

/** The result as a string. @throws WorkflowFault */
export const evaluateText = (template: string, scope: Scope, budget?: Budget) =>
  evaluateTemplate(template, scope, budget).coerceString()

/** The result as a boolean. Inputs are strings: the string `false` is false. @throws WorkflowFault */
export function evaluateFlag(template: string, scope: Scope): boolean {
  const value = evaluateTemplate(template, scope)
  return value instanceof data.StringData ? value.value === 'true' : isTruthy(value)
}
