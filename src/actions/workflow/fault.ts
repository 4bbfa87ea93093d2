/** What is wrong with a workflow file, as a sentence for its author. Thrown inside this folder, given back at its edge. */
export class WorkflowFault extends Error {}

/** @throws WorkflowFault always */
export function refuse(sentence: string): never {
  throw new WorkflowFault(sentence)
}

/** Text of strangers inside a sentence: quoted, on one line, not longer than anybody reads. */
export function quote(text: string): string {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return JSON.stringify(shown.toWellFormed())
}

/** What `work` gives, or the sentence that it threw. Anything else that is thrown is a fault of ours and passes. */
export function attempt<Value>(work: () => Value): { value: Value } | { fault: string } {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof WorkflowFault) return { fault: error.message }
    throw error
  }
}
