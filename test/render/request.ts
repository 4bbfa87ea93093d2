import assert from 'node:assert/strict'
import type { RenderFault, RenderOutcome, RenderRequest } from '../../src/render/request.ts'

/** A request in mode `markdown` for an imaginary site, with what the test changes. */
export function requestOf(text: string, changes: Partial<RenderRequest> = {}): RenderRequest {
  return {
    text,
    mode: 'markdown',
    wiki: false,
    filePath: '',
    context: '',
    host: 'http://localhost:3000/',
    knownAccounts: [],
    decorate: false,
    ...changes,
  }
}

/** The HTML of an outcome that must have some. */
export function html(outcome: RenderOutcome): string {
  assert.ok(outcome.ok, `refused: ${JSON.stringify(outcome)}`)
  return outcome.value.html
}

/** Whom the text of an outcome mentions. */
export function mentionsOf(outcome: RenderOutcome): readonly string[] {
  assert.ok(outcome.ok, `refused: ${JSON.stringify(outcome)}`)
  return outcome.value.mentions
}

/** The refusal of an outcome that must be one. */
export function problem(outcome: RenderOutcome): RenderFault {
  assert.ok(!outcome.ok, 'rendered, but must be refused')
  return outcome.fault
}
