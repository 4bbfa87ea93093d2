import { parentPort } from 'node:worker_threads'
import { stackOf } from '../../errors.ts'
import { answer, type WorkflowOutcome, type WorkflowRequest } from './request.ts'

/** One request at a time comes in, its outcome goes out: the pool keeps the order. */
parentPort?.on('message', (request: WorkflowRequest) => {
  parentPort?.postMessage(outcomeOf(request))
})

function outcomeOf(request: WorkflowRequest): WorkflowOutcome {
  try {
    return answer(request)
  } catch (error) {
    // Hostile nesting ends the stack; that is the file's doing, and the thread goes on.
    if (error instanceof RangeError) return { kind: 'fault', fault: 'the file nests too deeply' }
    const log = stackOf(error)
    return { kind: 'problem', reason: 'failed', log }
  }
}
