import { parentPort } from 'node:worker_threads'
import { stackOf } from '../../errors.ts'
import { handleRequest, type WorkflowOutcome, type WorkflowRequest } from './request.ts'

/** Handles one request at a time; the pool keeps requests and outcomes in order. */
parentPort?.on('message', (request: WorkflowRequest) => {
  parentPort?.postMessage(outcomeOf(request))
})

function outcomeOf(request: WorkflowRequest): WorkflowOutcome {
  try {
    return handleRequest(request)
  } catch (error) {
    // Hostile nesting overflows the stack: a fault of the file, and the thread continues.
    if (error instanceof RangeError) return { kind: 'fault', fault: 'the file is nested too deeply' }
    return { kind: 'problem', reason: 'failed', log: stackOf(error) }
  }
}
