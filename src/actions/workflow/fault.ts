import { done, failed, type Outcome } from '../../common/outcome.ts'

/**
 * A fault of a workflow file, as a sentence for its author. Thrown within this folder, returned as a value to others.
 */
export class WorkflowFault extends Error {}

/** @throws WorkflowFault always */
export function fail(sentence: string): never {
  throw new WorkflowFault(sentence)
}

/** A user's text for use in a sentence: quoted, on one line, truncated. */
export function quote(text: string): string {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return JSON.stringify(shown.toWellFormed())
}

/** The result of `work`, or the sentence of its WorkflowFault. Other errors are bugs and are rethrown. */
export function attempt<Value>(work: () => Value): Outcome<Value, string> {
  try {
    return done(work())
  } catch (error) {
    if (error instanceof WorkflowFault) return failed(error.message)
    throw error
  }
}
